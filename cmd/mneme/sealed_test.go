package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The plaintext of a value that a client encrypted must not appear in a file of the data
// folder, including the write-ahead log, nor in the server's log. An unencrypted value
// proves that the check would find it.
func TestEncryptedTextIsNeitherInTheDataFolderNorInTheLog(t *testing.T) {
	const secret, open = "saffron behind the ninth brick", "ordinary words about weather"
	s := serve(t, t.TempDir())
	token := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris"))
	keyFile := filepath.Join(t.TempDir(), "keys")
	flags := []string{"--key-file", keyFile, "--store", "iris", "--key", "vault"}
	sealed := strings.TrimSpace(must(t, "", secret, append([]string{"encrypt"}, flags...)...))

	const memories = "/v1/stores/self/memories/"
	put := func(key, value string, encrypted bool, want int) {
		t.Helper()
		body := fmt.Sprintf(`{"value": %s, "encrypted": %v}`, value, encrypted)
		if status, answer := s.call(token, http.MethodPut, memories+key+"?wait=indexed", body); status != want {
			t.Fatalf("put %s: status %d, %s", key, status, answer)
		}
	}
	put("vault", sealed, true, http.StatusCreated)
	put("vault", sealed, true, http.StatusOK) // a version in the history
	put("plain", `"`+open+`"`, false, http.StatusCreated)

	status, body := s.call(token, http.MethodGet, memories+"vault", "")
	entry := decode[struct{ Value json.RawMessage }](t, body)
	if status != http.StatusOK || string(entry.Value) != sealed {
		t.Errorf("the stored blob differs from the one written (status %d)", status)
	}
	if got := must(t, "", string(entry.Value), append([]string{"decrypt"}, flags...)...); got != secret {
		t.Error("the stored blob does not decrypt to the original text")
	}
	for _, question := range []string{secret, "saffron", "vault"} {
		status, body := s.call(token, http.MethodPost, "/v1/search", `{"query": "`+question+`"}`)
		for _, hit := range decode[answer](t, body).Hits {
			if status != http.StatusOK || hit.Key == "vault" {
				t.Errorf("a search (status %d) returned an encrypted entry", status)
			}
		}
	}
	if in := holding(t, s.dir, open); len(in) == 0 {
		t.Error("the unencrypted text is found nowhere, so this check would miss the encrypted one too")
	}
	for _, word := range []string{secret, "saffron", "brick"} {
		if in := holding(t, s.dir, word); len(in) > 0 {
			t.Errorf("the plaintext is in %v", in)
		}
	}
	s.end(syscall.SIGTERM)
	if in := holding(t, s.dir, "saffron"); len(in) > 0 {
		t.Errorf("after shutdown, the plaintext is in %v", in)
	}
	for _, word := range []string{"saffron", "brick", "weather", "vault", token} {
		if strings.Contains(s.log.String(), word) {
			t.Error("the log shows memory text, a key or a token")
		}
	}
}

// holding returns the names of the files in a folder that contain text.
func holding(t *testing.T, dir, text string) []string {
	t.Helper()
	var in []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			in = append(in, entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}
