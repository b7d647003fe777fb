package console_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/server/console"
	"mneme/server/problem"
)

var built = fstest.MapFS{
	"index.html":          {Data: []byte("<!doctype html>" + strings.Repeat("<p>the page</p>", 20))},
	"assets/index-abc.js": {Data: []byte("let x = 1")},
}

// served is a console server whose session counts the minted tokens.
type served struct {
	*httptest.Server
	code   string
	minted atomic.Int32
	mu     sync.Mutex
	now    time.Time
}

func (s *served) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func serve(t *testing.T, files console.Files) *served {
	t.Helper()
	s := &served{now: time.Now()}
	var session *console.Session
	session, s.code = console.NewSession(func() (string, error) { s.minted.Add(1); return "a token", nil }, s.clock)
	surface, err := console.NewSurface(files, []byte("# Operating\n"), session)
	if err != nil {
		t.Fatal(err)
	}
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("the error is no problem: %v", err)
			return
		}
		_ = p.Write(c.Response(), "")
	}
	surface.Mount(e)
	s.Server = httptest.NewServer(e)
	t.Cleanup(s.Close)
	return s
}

// exchange sends a code as the console does; change alters the request.
func (s *served) exchange(t *testing.T, body string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/console/session", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", s.URL)
	if change != nil {
		change(r)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

func (s *served) body() string { return `{"code":"` + s.code + `"}` }

func TestACodeIsGoodForOneToken(t *testing.T) {
	s := serve(t, built)
	status, text := s.exchange(t, s.body(), nil)
	var answer map[string]string
	if err := json.Unmarshal([]byte(text), &answer); status != 200 || err != nil || answer["token"] != "a token" || len(answer) != 1 {
		t.Errorf("%d %s", status, text)
	}
	if status, text = s.exchange(t, s.body(), nil); status != 401 || strings.Contains(text, s.code) {
		t.Errorf("again: %d %s", status, text)
	}
	if n := s.minted.Load(); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

func TestACodeIsGoodForOneTokenOfManyCallsAtOnce(t *testing.T) {
	s := serve(t, built)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() { s.exchange(t, s.body(), nil) })
	}
	calls.Wait()
	if n := s.minted.Load(); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

func TestACodeEndsAfterFiveMinutes(t *testing.T) {
	s := serve(t, built)
	s.mu.Lock()
	s.now = s.now.Add(5 * time.Minute)
	s.mu.Unlock()
	if status, _ := s.exchange(t, s.body(), nil); status != 401 {
		t.Errorf("status %d", status)
	}
}

func TestACodeIsTakenFromTheConsoleOnThisMachineAlone(t *testing.T) {
	s := serve(t, built)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for name, change := range map[string]func(*http.Request){
		"no origin":      func(r *http.Request) { r.Header.Del("Origin") },
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"null":           func(r *http.Request) { r.Header.Set("Origin", "null") },
		"another port":   func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"another name for us": func(r *http.Request) {
			r.Host = "rebound.example" + port
			r.Header.Set("Origin", "http://rebound.example"+port)
		},
		"another host": func(r *http.Request) { r.Host = "evil.example" },
		"a port that is not ours": func(r *http.Request) {
			r.Host = "127.0.0.1:1"
			r.Header.Set("Origin", "http://127.0.0.1:1")
		},
		"a proxy": func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
	} {
		if status, text := s.exchange(t, s.body(), change); status != 403 || strings.Contains(text, s.code) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if status, _ := s.exchange(t, s.body(), nil); status != 200 {
		t.Errorf("a refusal used the code up: %d", status)
	}
}

func TestABadExchangeIsRefused(t *testing.T) {
	s := serve(t, built)
	for body, want := range map[string]int{
		"":                                      400,
		"{}":                                    400,
		`{"code":1}`:                            400,
		`{"code":"x","agent":"admin"}`:          400,
		s.body() + s.body():                     400,
		`{"code":"wrong"}`:                      401,
		`{"code":"` + s.code + `A"}`:            401,
		strings.Repeat(" ", 1<<10+1) + s.body(): 413,
	} {
		if status, _ := s.exchange(t, body, nil); status != want {
			t.Errorf("%.40q: %d, want %d", body, status, want)
		}
	}
	if status, _ := s.exchange(t, s.body(), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }); status != 415 {
		t.Errorf("text: %d", status)
	}
	if s.minted.Load() != 0 {
		t.Error("a token was made")
	}
}
