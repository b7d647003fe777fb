package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The command purges while a server answers searches continuously: when it ends, no file
// of the data folder contains the erased data.
func TestAPurgeNextToABusyServerLeavesNothingInItsFiles(t *testing.T) {
	t.Setenv("MNEME_LIMITS_RETENTION", "0s")
	s := serve(t, t.TempDir())
	token := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "me"))
	var items, deletes []string
	for i := range 40 {
		items = append(items, fmt.Sprintf(`{"op":"put","key":"zqkey%03d","value":"zqvalue%03d %s","tags":["zqtag%03d"]}`, i, i, strings.Repeat("filler ", i*5), i))
		deletes = append(deletes, fmt.Sprintf(`{"op":"delete","key":"zqkey%03d"}`, i))
	}
	for _, batch := range [][]string{items, deletes} {
		if status, body := s.call(token, http.MethodPost, "/v1/stores/self/memories:batch", `{"items":[`+strings.Join(batch, ",")+`]}`); status != http.StatusOK {
			t.Fatal(status, body)
		}
	}
	// A checkpoint may move pages from the log to the database between the reads of the
	// two files.
	for end := time.Now().Add(2 * time.Minute); markers(t, s.dir) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the files do not hold what should be erased")
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var searching sync.WaitGroup
	for range 4 {
		searching.Go(func() {
			for ctx.Err() == nil {
				s.call(token, http.MethodPost, "/v1/search", `{"query":"filler","mode":"lexical"}`)
			}
		})
	}
	out := must(t, s.dir, "", "purge", "--yes", "--json")
	n := markers(t, s.dir)
	stop()
	searching.Wait()
	purged := decode[struct {
		Entries      int
		ErasedOnDisk string `json:"erased_on_disk"`
	}](t, out)
	if purged.Entries != 40 || purged.ErasedOnDisk == "" || n != 0 {
		t.Errorf("%s, and %d copies in the files", out, n)
	}
}

// markers counts the markers in the files of a folder.
func markers(t *testing.T, folder string) (n int) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"zqkey", "zqvalue", "zqtag"} {
			n += bytes.Count(bytes.ToLower(content), []byte(field))
		}
	}
	return n
}
