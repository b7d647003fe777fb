package rest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/server/servertest"

	"github.com/klauspost/compress/zstd"
)

// packed makes a call with a compressed body, and accepts a compressed answer: coding and
// accept name the codings, "" for none. It returns the answer with its body decoded.
func (h *harness) packed(method, target, body, coding, accept string, header ...string) answer {
	h.t.Helper()
	var text bytes.Buffer
	switch coding {
	case "gzip":
		w := gzip.NewWriter(&text)
		_, _ = io.WriteString(w, body)
		_ = w.Close()
	case "zstd":
		w, err := zstd.NewWriter(&text)
		if err != nil {
			h.t.Fatal(err)
		}
		_, _ = io.WriteString(w, body)
		_ = w.Close()
	default:
		text.WriteString(body)
	}
	r := httptest.NewRequest(method, target, &text)
	r.Header.Set("Authorization", "Bearer "+h.Token(alice))
	r.Header.Set("Content-Type", "application/json")
	if strings.Contains(target, "/import") {
		r.Header.Set("Content-Type", "application/x-ndjson")
	}
	if coding != "" {
		r.Header.Set("Content-Encoding", coding)
	}
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{w.Code, w.Header(), string(servertest.Decoded(h.t, w))}
	if err := conforms(method, r.URL.EscapedPath(), a); err != nil {
		h.t.Fatalf("%s %s answered %d: %v\n%s", method, target, a.status, err, a.body)
	}
	return a
}

func TestCallsMayBeCompressedBothWays(t *testing.T) {
	t.Parallel()
	h := open(t)
	long := strings.Repeat("a seat by the window, ", 200)
	for _, coding := range []string{"gzip", "zstd"} {
		key := "/v1/stores/self/memories/" + coding
		put := h.packed("PUT", key, fmt.Sprintf(`{"value":%q}`, long), coding, coding)
		if put.status != http.StatusCreated || put.header.Get("Content-Encoding") != coding {
			t.Fatalf("%s: %d %v %s", coding, put.status, put.header, put.body)
		}
		got := h.packed("GET", key, "", "", coding)
		tag := got.header.Get("ETag")
		if got.header.Get("Content-Encoding") != coding || !strings.HasSuffix(tag, "-"+coding+`"`) || got.json(t)["value"] != long {
			t.Errorf("%s: %v", coding, got.header)
		}
		// The plain answer has the tag without the suffix. Both tags identify the entry.
		entry := h.want(200, alice, "GET", key, "").header.Get("ETag")
		if strings.Contains(entry, coding) || entry == tag {
			t.Errorf("%s: ETag %s, compressed %s", coding, entry, tag)
		}
		for _, held := range []string{tag, entry, "W/" + tag} {
			h.want(304, alice, "GET", key, "", "If-None-Match", held)
			if a := h.packed("GET", key, "", "", coding, "If-None-Match", held); a.status != http.StatusNotModified {
				t.Errorf("%s: %s gives %d", coding, held, a.status)
			}
		}
		h.want(412, alice, "PUT", key, `{"value":1}`, "If-Match", `"other-`+coding+`"`)
		h.want(200, alice, "PUT", key, `{"value":1}`, "If-Match", tag)
		h.want(412, alice, "PUT", key, `{"value":2}`, "If-Match", tag)

		search := h.packed("POST", "/v1/search", `{"query":"window"}`, coding, "")
		if search.status != http.StatusOK {
			t.Errorf("%s: %d %s", coding, search.status, search.body)
		}
		imported := h.packed("POST", imports, "{\"key\":\"i1\",\"value\":1}\n{\"key\":\"i2\",\"value\":2}\n", coding, "")
		if imported.status != http.StatusOK || imported.json(t)["refused"] != 0.0 {
			t.Errorf("%s: %d %s", coding, imported.status, imported.body)
		}
		if export := h.packed("GET", "/v1/stores/self/export", "", "", coding); strings.Count(export.body, "\n") < 3 {
			t.Errorf("%s: %s", coding, export.body)
		}
	}
}

// The limit of a body counts its decompressed bytes. A stream, which has no limit, must not
// decompress to far more than its length.
func TestBombsAreRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, coding := range []string{"gzip", "zstd"} {
		spaces := strings.Repeat(" ", 20<<20)
		for target, body := range map[string]string{
			"PUT /v1/stores/self/memories/bomb": `{"value":` + spaces + `1}`,
			"POST /v1/search":                   `{"query":"a"` + spaces + `}`,
			"POST " + batches:                   `{"items":[]` + spaces + `}`,
			"POST " + imports:                   "{\"key\":\"a\",\"value\":1}\n" + spaces,
		} {
			method, path, _ := strings.Cut(target, " ")
			if a := h.packed(method, path, body, coding, ""); a.status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s of %s: %d %s", coding, target, a.status, a.body)
			}
		}
		if a := h.packed("POST", imports, "{\"key\":\"a\",\"value\":1}\n", "", "", "Content-Encoding", coding); a.status != http.StatusBadRequest {
			t.Errorf("what is not %s: %d %s", coding, a.status, a.body)
		}
	}
}

func TestListsThatHaveNotChangedAreNotSent(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":1}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/b", `{"value":1}`)
	h.want(204, alice, "DELETE", "/v1/stores/self/memories/b", "")
	h.sell(hutOffer)
	for target, change := range map[string]string{
		"/v1/stores/self/memories":            `PUT /v1/stores/self/memories/a {"value":2}`,
		"/v1/stores/self/memories?limit=1":    `PUT /v1/stores/self/memories/a {"value":3}`,
		"/v1/stores/self/memories/a/versions": `PUT /v1/stores/self/memories/a {"value":4}`,
		"/v1/stores/self/trash":               `DELETE /v1/stores/self/memories/a `,
		"/v1/stores":                          `PUT /v1/stores/self/language {"language":"multilingual"}`,
		"/v1/stores/self/offers":              ``,
		"/v1/offers":                          ``,
		"/v1/stores/self/grants":              ``,
		"/openapi.json":                       ``,
	} {
		tag := h.want(200, alice, "GET", target, "").header.Get("ETag")
		if tag == "" {
			t.Errorf("%s has no ETag", target)
			continue
		}
		for _, held := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*", strings.TrimSuffix(tag, `"`) + `-gzip"`} {
			a := h.want(304, alice, "GET", target, "", "If-None-Match", held)
			if a.body != "" || a.header.Get("ETag") != tag {
				t.Errorf("%s: %q %v", target, a.body, a.header)
			}
		}
		h.want(200, alice, "GET", target, "", "If-None-Match", `"x"`)
		h.want(400, alice, "GET", target, "", "If-None-Match", "x")
		if change == "" {
			continue
		}
		method, rest, _ := strings.Cut(change, " ")
		at, body, _ := strings.Cut(rest, " ")
		if a := h.call(alice, method, at, body); a.status/100 != 2 {
			t.Fatalf("%s: %d %s", change, a.status, a.body)
		}
		if later := h.want(200, alice, "GET", target, "", "If-None-Match", tag); later.header.Get("ETag") == tag {
			t.Errorf("%s keeps its tag after %s", target, change)
		}
		if method == "DELETE" {
			h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":1}`)
		}
	}
	// An answer that is too long to be buffered for a tag is sent complete, without a tag.
	for i := range 10 {
		h.want(201, alice, "PUT", fmt.Sprint("/v1/stores/self/memories/long", i), fmt.Sprintf(`{"value":%q}`, strings.Repeat("x", 20_000)))
	}
	if a := h.want(200, alice, "GET", "/v1/stores/self/memories", ""); a.header.Get("ETag") != "" || len(a.items(t, "items")) < 11 {
		t.Errorf("a long list: %v", a.header)
	}
}
