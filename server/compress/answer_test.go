package compress_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/server/compress"
	"mneme/server/servertest"
)

// long is a JSON text of some kilobytes.
var long = func() []byte {
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("entry %d: tea is green", i*i))
	}
	text, _ := json.Marshal(lines)
	return text
}()

// answering is a handler that answers with a body.
func answering(body []byte, header ...string) http.Handler {
	return compress.Answers(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body)
	}))
}

func ask(h http.Handler, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTheClientChoosesTheCoding(t *testing.T) {
	h := answering(long, "Content-Type", "application/json", "ETag", `"v1"`)
	for accept, want := range map[string]string{
		"":                                "",
		"identity":                        "",
		"br":                              "",
		"gzip":                            "gzip",
		"gzip, deflate, br, zstd":         "gzip",
		"gzip;q=0.5, zstd":                "zstd",
		"zstd":                            "zstd",
		"gzip;q=1, zstd;q=0.5":            "gzip",
		"gzip;q=0":                        "",
		"gzip;q=0, zstd;q=0, identity":    "",
		"GZIP":                            "gzip",
		"\x00;;;q=,,gzip;q=x;,":           "",
		strings.Repeat("br, ", 8) + "zip": "",
	} {
		w := ask(h, accept)
		coding, tag := w.Header().Get("Content-Encoding"), w.Header().Get("ETag")
		length := w.Body.Len()
		if coding != want || !bytes.Equal(servertest.Decoded(t, w), long) {
			t.Errorf("%q: coded with %q, want %q, or another body", accept, coding, want)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: Vary %q", accept, w.Header().Values("Vary"))
		}
		wantTag := `"v1"`
		if want != "" {
			wantTag = `"v1-` + want + `"`
			if length > len(long)/2 {
				t.Errorf("%q: %d bytes of %d", accept, length, len(long))
			}
		}
		if tag != wantTag || compress.BaseTag(strings.Trim(tag, `"`)) != "v1" {
			t.Errorf("%q: ETag %s, want %s", accept, tag, wantTag)
		}
	}
}

func TestAnswersThatDoNotShrinkAreNotCompressed(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"a short answer":      answering(long[:1000], "Content-Type", "application/json"),
		"a stream of events":  answering(long, "Content-Type", "text/event-stream"),
		"a picture":           answering(long, "Content-Type", "image/png"),
		"what is coded":       answering(long, "Content-Type", "application/json", "Content-Encoding", "br"),
		"an answer in no way": answering(nil, "Content-Type", "application/json"),
	} {
		w := ask(h, "gzip, zstd")
		if coding := w.Header().Get("Content-Encoding"); coding != "" && coding != "br" {
			t.Errorf("%s is coded with %q", name, coding)
		}
	}
	w := ask(answering(long, "Content-Type", "Application/JSON; charset=utf-8"), "gzip")
	if w.Header().Get("Content-Encoding") != "gzip" {
		t.Error("the parameters of the type count")
	}
}

// Event streams arrive event by event: Flush sends the pending bytes.
func TestEventsAreSentWhenTheyAreFlushed(t *testing.T) {
	sent := make(chan struct{})
	server := httptest.NewServer(compress.Answers(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-sent
	})))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	event := make([]byte, len("data: 1\n\n"))
	if _, err := io.ReadFull(answer.Body, event); err != nil || string(event) != "data: 1\n\n" {
		t.Errorf("%q, %v", event, err)
	}
	close(sent)
}

// The length of an answer must not depend on its compressibility alone.
func TestTheLengthOfAnAnswerIsBlurred(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		lengths := make(map[int]bool)
		for i := range 20 {
			body := bytes.ReplaceAll(long, []byte("tea"), fmt.Appendf(nil, "t%02d", i))
			lengths[ask(answering(body, "Content-Type", "application/json"), coding).Body.Len()] = true
		}
		if len(lengths) < 8 {
			t.Errorf("%s: answers that compress alike have %d lengths", coding, len(lengths))
		}
	}
}

// FuzzAcceptEncoding checks that any Accept-Encoding gets the whole answer, in a coding
// that the header names.
func FuzzAcceptEncoding(f *testing.F) {
	h := answering(long, "Content-Type", "application/json")
	for _, seed := range []string{"gzip", "zstd;q=0.1,gzip", "*", ";;,,q=1", "gzip;q=9e99"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		w := ask(h, accept)
		coding := w.Header().Get("Content-Encoding")
		if coding != "" && !strings.Contains(strings.ToLower(accept), coding) {
			t.Errorf("%q gets %s", accept, coding)
		}
		if !bytes.Equal(servertest.Decoded(t, w), long) {
			t.Errorf("%q gets another body", accept)
		}
	})
}
