package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answer is a recorded response.
type answer struct {
	*http.Response
	body string
}

// get requests a path with headers, given as names and values, and without the
// client's default headers.
func (s *served) get(t *testing.T, path string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{a, string(text)}
}

func TestThePageLoadsFromItsOwnServiceAlone(t *testing.T) {
	s := serve(t, built)
	a := s.get(t, "/console/")
	policy := a.Header.Get("Content-Security-Policy")
	for _, directive := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, directive) {
			t.Errorf("the policy lacks %s", directive)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || len(a.Cookies()) > 0 {
		t.Errorf("policy %q, cookies %v", policy, a.Cookies())
	}
	if !strings.Contains(a.body, "the page") || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%s: %s", a.Header.Get("Content-Type"), a.body)
	}
}

func TestFilesAreCachedByContent(t *testing.T) {
	s := serve(t, built)
	page := s.get(t, "/console/")
	if page.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the page: %s", page.Header.Get("Cache-Control"))
	}
	tag := page.Header.Get("Etag")
	for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, strings.TrimSuffix(tag, `"`) + `-zstd"`} {
		if again := s.get(t, "/console/", "If-None-Match", known); again.StatusCode != http.StatusNotModified || again.body != "" {
			t.Errorf("%s again: %d", known, again.StatusCode)
		}
	}
	if other := s.get(t, "/console/", "If-None-Match", `"x"`); other.StatusCode != http.StatusOK {
		t.Errorf("another tag: %d", other.StatusCode)
	}
	if asset := s.get(t, "/console/assets/index-abc.js"); !strings.Contains(asset.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("a file whose name changes: %s", asset.Header.Get("Cache-Control"))
	}
}

func TestFilesAreCompressedForWhoAcceptsIt(t *testing.T) {
	s := serve(t, built)
	for accept, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "", "br": "", "identity": ""} {
		a := s.get(t, "/console/", "Accept-Encoding", accept)
		if a.Header.Get("Content-Encoding") != want {
			t.Errorf("%s: %q", accept, a.Header.Get("Content-Encoding"))
			continue
		}
		text := a.body
		if want == "gzip" {
			r, err := gzip.NewReader(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			text = string(plain)
		}
		if !strings.Contains(text, "the page") {
			t.Errorf("%s: another text", accept)
		}
	}
}

func TestOtherPathsOfTheConsoleDoNotExist(t *testing.T) {
	s := serve(t, built)
	for _, path := range []string{"/console/none", "/console/assets/", "/console/..%2fgo.mod", "/console/index.html/x"} {
		if a := s.get(t, path); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	if a := s.get(t, "/console"); a.StatusCode != http.StatusPermanentRedirect || a.Header.Get("Location") != "console/" {
		t.Errorf("without a slash: %d %s", a.StatusCode, a.Header.Get("Location"))
	}
	if a := serve(t, nil).get(t, "/console/"); a.StatusCode != http.StatusNotFound {
		t.Errorf("without files: %d", a.StatusCode)
	}
}

func TestTheRootLinksForBrowsersAndPrograms(t *testing.T) {
	for _, has := range []bool{true, false} {
		s := serve(t, nil)
		if has {
			s = serve(t, built)
		}
		a := s.get(t, "/", "Accept", "text/html,application/xhtml+xml")
		if strings.Contains(a.body, "/console/") != has || !strings.Contains(a.Header.Get("Content-Type"), "text/html") {
			t.Errorf("a browser gets %s", a.body)
		}
		a = s.get(t, "/", "Accept", "*/*")
		if strings.Contains(a.body, "/console/") != has || !strings.Contains(a.Header.Get("Content-Type"), "application/json") {
			t.Errorf("a program gets %s", a.body)
		}
	}
}

func TestTheOperatorsPageIsShownAsText(t *testing.T) {
	a := serve(t, built).get(t, "/console/operating.md")
	if a.StatusCode != http.StatusOK || a.body != "# Operating\n" || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d, %s: %q", a.StatusCode, a.Header.Get("Content-Type"), a.body)
	}
}
