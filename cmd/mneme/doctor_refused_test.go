package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mneme/test/mnemetest"
	"mneme/test/wait"
)

// limitedEmbedder starts a service that accepts ten texts a request, rejects long ones,
// and does not number its results.
func limitedEmbedder(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, "not an embeddings request", http.StatusBadRequest)
			return
		}
		tooLong := func(text string) bool { return strings.Contains(text, "endless") }
		if len(request.Input) > 10 || slices.ContainsFunc(request.Input, tooLong) {
			http.Error(w, request.Input[0], http.StatusRequestEntityTooLarge)
			return
		}
		var data []map[string]any
		for i := range request.Input {
			data = append(data, map[string]any{"embedding": []int{1, i + 1, 2}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestDoctorNamesWhatCannotBeEmbedded(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "mneme.yaml")
	config := fmt.Sprintf("embedder: openai\nopenai: {base_url: %s, model: m, dim: 3}\n", limitedEmbedder(t))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = 4
	for i := range refused { // the entries that have waited longest
		must(t, dir, "", "put", "--config", file, "--agent", "ada", fmt.Sprint("long-", i), "an endless secret")
	}
	for i := range 12 {
		must(t, dir, "", "put", "--config", file, "--agent", "ada", fmt.Sprint("note-", i), "a short note")
	}
	mnemetest.Start(t, exec.Command(binary, "serve", "--config", file, "--addr", "127.0.0.1:0", "--data-dir", dir, "--json"))
	wait.Until(t, "doctor names the entries, and the others have vectors", func() error {
		out := must(t, dir, "", "doctor", "--config", file, "--addr", "127.0.0.1:0")
		if strings.Contains(out, "secret") || strings.Contains(out, "note-") {
			t.Fatalf("doctor says what it should not: %s", out)
		}
		named := strings.Contains(out, "4 entries waiting")
		for i := range refused {
			named = named && strings.Contains(out, fmt.Sprintf("store ada, key long-%d: the embedder does not take the text: embedding server refuses the request: status 413", i))
		}
		if !named {
			return errors.New(out)
		}
		return nil
	})
}
