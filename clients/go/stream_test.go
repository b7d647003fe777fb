package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// lines yields n entries.
func lines(n int) iter.Seq2[api.ImportLine, error] {
	return func(yield func(api.ImportLine, error) bool) {
		for i := range n {
			if !yield(api.ImportLine{Key: fmt.Sprintf("k%04d", i), Value: []byte("\"winter\"")}, nil) {
				return
			}
		}
	}
}

func TestIteratorsReadAllPages(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Get("limit") != "100" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		switch query.Get("cursor") {
		case "":
			answer(w, http.StatusOK, `{"items":[{"key":"a","value":1},{"key":"b","value":1}],"next_cursor":"2"}`)
		case "2":
			answer(w, http.StatusOK, `{"items":[{"key":"c","value":1}]}`)
		}
	})
	for name, entries := range map[string]iter.Seq2[api.Entry, error]{
		"list":     c.List(t.Context(), "self", &api.ListMemoriesParams{Limit: new(7)}),
		"versions": c.Versions(t.Context(), note),
	} {
		var keys string
		for entry, err := range entries {
			if err != nil {
				t.Fatal(err)
			}
			keys += entry.Key
		}
		if keys != "abc" {
			t.Errorf("%s: got %s", name, keys)
		}
	}
}

func TestAnIterationEndsAtItsFirstError(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		answer(w, http.StatusOK, `{"items":[{"key":"a","value":1}],"next_cursor":"2"}`)
	})
	seen := 0
	for _, err := range c.List(t.Context(), "self", nil) {
		if seen++; (seen == 2) != (client.StatusOf(err) == http.StatusServiceUnavailable) {
			t.Errorf("item %d: %v", seen, err)
		}
	}
	if seen != 2 {
		t.Errorf("got %d items", seen)
	}
}

func TestChangesWaitsFromThePageBefore(t *testing.T) {
	var asked []string
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Encode())
		switch len(asked) {
		case 1, 2:
			answer(w, http.StatusOK, fmt.Sprintf(`{"changes":[],"next_cursor":"c%d"}`, len(asked)))
		default:
			answer(w, http.StatusOK, `{"changes":[{"key":"k"}],"next_cursor":"c3"}`)
		}
	})
	var pages []string
	for page, err := range c.Changes(t.Context(), "self", "") {
		if err != nil {
			t.Fatal(err)
		}
		if pages = append(pages, page.NextCursor); len(pages) == 2 {
			break
		}
	}
	// The page of the second request has no change, so it is not yielded.
	if got := strings.Join(pages, " "); got != "c1 c3" {
		t.Errorf("got the pages %s", got)
	}
	if got := strings.Join(asked, " "); got != "limit=1000&wait=0 limit=1000&since=c1&wait=30 limit=1000&since=c2&wait=30" {
		t.Errorf("asked %s", got)
	}
}

func TestAnExportEndsAtItsLastWholeLine(t *testing.T) {
	const line = `{"key":"a","value":{ "b" : 1 }}` + "\n"
	for body, want := range map[string]error{line + line: nil, line + line + `{"key":`: client.ErrCutShort} {
		c := open(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
		whole, last := 0, error(nil)
		for entry, err := range c.Export(t.Context(), "self", nil) {
			if last = err; err == nil && string(entry.Value) == `{ "b" : 1 }` {
				whole++
			}
		}
		if whole != 2 || !errors.Is(last, want) {
			t.Errorf("got %d entries, %v", whole, last)
		}
	}
}

func TestImportSendsOneLinePerEntry(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Content-Type"); got != "application/x-ndjson" {
			t.Errorf("sent as %s", got)
		}
		if got := read(t, r); got != `{"key":"a","value":{  "b" : "\n<" }}`+"\n" {
			t.Errorf("sent %q", got)
		}
		answer(w, http.StatusOK, `{"created":1}`)
	})
	result, err := c.Import(t.Context(), "self", func(yield func(api.ImportLine, error) bool) {
		yield(api.ImportLine{Key: "a", Value: []byte("{\n \"b\" : \"\\n<\" }")}, nil)
	})
	if err != nil || result.Created != 1 {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestAnImportEndsWithItsLinesOrItsServer(t *testing.T) {
	broken := errors.New("broken")
	c := open(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	_, err := c.Import(t.Context(), "self", func(yield func(api.ImportLine, error) bool) {
		if yield(api.ImportLine{Key: "k", Value: []byte("1")}, nil) {
			yield(api.ImportLine{}, broken)
		}
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	c = open(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	if _, err := c.Import(t.Context(), "other", lines(10_000)); client.StatusOf(err) != http.StatusForbidden {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Import(ctx, "self", lines(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
