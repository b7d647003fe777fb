package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mneme/configs"
	"mneme/test/mnemetest"
	"mneme/test/wait"
)

// startDemo starts a demo with its temporary files in a folder.
func startDemo(t *testing.T, temporary string, args ...string) *serving {
	t.Helper()
	command := exec.Command(binary, append([]string{"demo", "--json", "--addr", "127.0.0.1:0"}, args...)...)
	command.Env = append(os.Environ(), "TMPDIR="+temporary, "TMP="+temporary) // TMP is the name on Windows
	p := mnemetest.Start(t, command)
	return &serving{t: t, dir: p.DataDir, address: p.Address, log: p.Log, process: p}
}

// visit signs in by the demo's link, as its page does, and returns the token.
func (s *serving) visit() string {
	s.t.Helper()
	page, code, _ := strings.Cut(s.process.Console, "#code=")
	if page != s.address+"/console/" || code == "" {
		s.t.Fatal("the link is not one of the console with a code")
	}
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.address+"/v1/console/session", strings.NewReader(`{"code": "`+code+`"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Origin", s.address)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var body strings.Builder
	if _, err := io.Copy(&body, response.Body); err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d, %v", response.StatusCode, err)
	}
	return decode[struct{ Token string }](s.t, body.String()).Token
}

// ask returns the body of an answer to a GET.
func (s *serving) ask(token, path string) string {
	s.t.Helper()
	status, body := s.call(token, http.MethodGet, path, "")
	if status != http.StatusOK {
		s.t.Fatalf("GET %s: status %d, %s", path, status, body)
	}
	return body
}

func TestTheDemoHasSomethingToSeeOnEachPage(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	s := startDemo(t, temporary)
	if filepath.Dir(s.dir) != temporary {
		t.Errorf("its folder is %s", s.dir)
	}
	iris := s.visit()

	// On a busy machine the first searches may be lexical only.
	wait.Until(t, "the first question is answered", func() error {
		_, body := s.call(iris, http.MethodPost, "/v1/search", `{"query": "what must I not cook for Ben?"}`)
		if found := decode[answer](t, body); len(found.Hits) == 0 || found.Hits[0].Key != "diet/ben" || len(found.Degraded) > 0 {
			return errors.New(body)
		}
		return nil
	})
	levels := make(map[string]string)
	for _, store := range decode[struct {
		Stores []struct {
			StoreID string `json:"store_id"`
			Level   string
		}
	}](t, s.ask(iris, "/v1/stores")).Stores {
		levels[store.StoreID] = store.Level
	}
	if levels["iris"] != "readwrite" || levels["forge"] != "read" || levels["hiker"] != "search" {
		t.Errorf("the visitor's stores are %v", levels)
	}
	for path, want := range map[string]string{
		"/v1/stores/self/memories/shopping%2Fsaturday/versions": `"version":3`,
		"/v1/stores/self/trash":                                 `"key":"car/parked"`,
		"/v1/stores/self/memories/safe%2Fcode":                  `"encrypted":true`,
		"/v1/stores/self/grants":                                `"grantee":"forge"`,
		"/v1/stores/self/offers":                                `"state":"open"`,
		"/v1/offers":                                            `"seller":"hiker"`,
		"/v1/stores/self/sales?by=buyer":                        `"searches":2`,
		"/v1/account":                                           `"balance":500`,
		"/v1/health":                                            `"sqlite"`,
	} {
		if body := s.ask(iris, path); !strings.Contains(body, want) {
			t.Errorf("%s: no %s in %s", path, want, body)
		}
	}

	const classified = "/v1/stores/self/memories/money%2Foffer"
	if status, _ := s.call(iris, http.MethodGet, classified, ""); status != http.StatusNotFound {
		t.Errorf("status %d of the classified entry at PUBLIC", status)
	}
	higher := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris", "--taint", "CONFIDENTIAL"))
	s.ask(higher, classified)
	sealed := must(t, s.dir, "", "get", "--agent", "iris", "safe/code")
	opened := must(t, "", sealed, "decrypt", "--key-file", filepath.Join(s.dir, demoKeys), "--store", "iris", "--key", "safe/code")
	if !strings.Contains(opened, "41-7-23") {
		t.Error("the key in the folder does not open the encrypted entry")
	}

	// Send the signal twice, like Ctrl-C in a terminal, which npx forwards once more.
	s.process.Send(t, syscall.SIGINT)
	if status := s.end(syscall.SIGINT); status != exitDone {
		t.Errorf("exit status %d: %s", status, s.log)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

func TestADemoInANamedFolderIsKept(t *testing.T) {
	t.Parallel()
	dir, temporary := filepath.Join(t.TempDir(), "new"), t.TempDir()
	s := startDemo(t, temporary, "--dir", dir)
	iris := s.visit()
	if status, body := s.call(iris, http.MethodPut, "/v1/stores/self/memories/mine", `{"value": "My own."}`); status != http.StatusCreated {
		t.Fatalf("status %d, %s", status, body)
	}
	s.end(syscall.SIGTERM)
	s = startDemo(t, temporary, "--dir", dir)
	iris = s.visit()
	s.ask(iris, "/v1/stores/self/memories/mine")
	if body := s.ask(iris, "/v1/stores/self/memories/shopping%2Fsaturday"); !strings.Contains(body, `"version":3`) {
		t.Errorf("the samples were written again: %s", body)
	}
	if offers := strings.Count(s.ask(iris, "/v1/offers"), `"seller"`); offers != 2 {
		t.Errorf("%d offers", offers)
	}
	s.end(syscall.SIGTERM)
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// The demo writes only to its own folder: another service, which settings name, would keep
// the samples.
func TestTheDemoWritesNowhereElse(t *testing.T) {
	other, interrupted := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(other, "notes.md"): "mine", filepath.Join(interrupted, demoFile): demoUnfinished} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{exitUsage, "--data-dir", []string{"--data-dir", t.TempDir()}},
		{exitUsage, "--storage", []string{"--storage", "postgres"}},
		{exitUsage, "--config", []string{"--config", "mneme.yaml"}},
		{exitUsage, "loopback", []string{"--addr", "0.0.0.0:0"}},
		{exitUsage, "loopback", []string{"--addr", "localhost"}},
		{exitUsage, "has other files", []string{"--dir", other}},
		{exitFailed, "interrupted", []string{"--dir", interrupted}},
	} {
		args := append([]string{"demo", "--no-browser"}, c.args...)
		if c.args[0] != "--addr" {
			args = append(args, "--addr", "127.0.0.1:0")
		}
		if r := mneme(t, "", "", args...); r.status != c.status || !strings.Contains(r.err, c.says) || r.out != "" {
			t.Errorf("%v: got %+v", c.args, r)
		}
	}
	for _, dir := range []string{other, interrupted} {
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("%v, %v", files, err)
		}
	}
}

// The demo ignores settings in the environment, which may name another service.
func TestTheDemoTakesNoSettingsOfTheEnvironment(t *testing.T) {
	t.Setenv("MNEME_STORAGE", "postgres")
	t.Setenv("MNEME_DATA_DIR", filepath.Join(t.TempDir(), "mine"))
	s := startDemo(t, t.TempDir())
	if s.dir == os.Getenv("MNEME_DATA_DIR") {
		t.Error("the demo is in the data folder of the environment")
	}
	if body := s.ask(s.visit(), "/v1/health"); !strings.Contains(body, `"sqlite"`) {
		t.Errorf("got %s", body)
	}
}

func TestTheDemoTakesAnotherPortIfTheUsualIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	d := demo{program: &program{}}
	listener, err := d.listen(t.Context(), taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if at := listener.Addr().(*net.TCPAddr); !at.IP.IsLoopback() || at.Port == taken.Addr().(*net.TCPAddr).Port {
		t.Errorf("it listens on %v", at)
	}
	d.addr = taken.Addr().String() // a given address is not replaced
	if _, err := d.listen(t.Context(), configs.Default().Addr); err == nil || !strings.Contains(err.Error(), "already in use") {
		t.Errorf("got %v", err)
	}
}
