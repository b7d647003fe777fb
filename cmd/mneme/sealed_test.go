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

// A value that a client has sealed must be nowhere in the clear: neither in
// any file of the data folder, write-ahead log included, nor in the server's
// log. An unsealed one beside it shows that the search for it would find it.
func TestSealedTextIsNeitherInTheDatabaseNorInTheLog(t *testing.T) {
	const secret, open = "saffron behind the ninth brick", "ordinary words about weather"
	s := serve(t, t.TempDir())
	token := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris"))
	keyFile := filepath.Join(t.TempDir(), "keys")
	place := []string{"--key-file", keyFile, "--store", "iris", "--key", "vault"}
	sealed := strings.TrimSpace(must(t, "", secret, append([]string{"encrypt"}, place...)...))

	const seat = "/v1/stores/self/memories/"
	put := func(key, value string, encrypted bool, want int) {
		t.Helper()
		body := fmt.Sprintf(`{"value": %s, "encrypted": %v}`, value, encrypted)
		if status, answer := s.call(token, http.MethodPut, seat+key+"?wait=indexed", body); status != want {
			t.Fatalf("put %s: status %d, %s", key, status, answer)
		}
	}
	put("vault", sealed, true, http.StatusCreated)
	put("vault", sealed, true, http.StatusOK) // a version in the history
	put("plain", `"`+open+`"`, false, http.StatusCreated)

	status, body := s.call(token, http.MethodGet, seat+"vault", "")
	entry := decode[struct{ Value json.RawMessage }](t, body)
	if status != http.StatusOK || string(entry.Value) != sealed {
		t.Errorf("the blob did not come back byte for byte (status %d)", status)
	}
	if got := must(t, "", string(entry.Value), append([]string{"decrypt"}, place...)...); got != secret {
		t.Error("what came back does not open to what was sealed")
	}
	for _, question := range []string{secret, "saffron", "vault"} {
		status, body := s.call(token, http.MethodPost, "/v1/search", `{"query": "`+question+`"}`)
		for _, hit := range decode[answer](t, body).Hits {
			if status != http.StatusOK || hit.Key == "vault" {
				t.Errorf("a search (status %d) shows an encrypted entry", status)
			}
		}
	}
	if in := holding(t, s.dir, open); len(in) == 0 {
		t.Error("the unsealed text is found nowhere, so this test would not find the sealed one either")
	}
	for _, word := range []string{secret, "saffron", "brick"} {
		if in := holding(t, s.dir, word); len(in) > 0 {
			t.Errorf("the sealed text is in the clear in %v", in)
		}
	}
	s.end(syscall.SIGTERM)
	if in := holding(t, s.dir, "saffron"); len(in) > 0 {
		t.Errorf("after the server's end, the sealed text is in the clear in %v", in)
	}
	for _, word := range []string{"saffron", "brick", "weather", "vault", token} {
		if strings.Contains(s.log.String(), word) {
			t.Error("the log shows memory text, a key or a token")
		}
	}
}

// holding names the files of a folder that hold a text.
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
