package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mneme/configs"
	"mneme/test/mnemetest"
	"mneme/test/wait"
)

// serving is a server in its own process.
type serving struct {
	t            *testing.T
	dir, address string
	log          *mnemetest.Log
	process      *mnemetest.Process
}

func serve(t *testing.T, dir string) *serving {
	t.Helper()
	p := mnemetest.Start(t, exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir, "--json"))
	if p.DataDir != dir {
		t.Errorf("data folder %q", p.DataDir)
	}
	return &serving{t: t, dir: dir, address: p.Address, log: p.Log, process: p}
}

// call makes one request and returns the response's status and body.
func (s *serving) call(token, method, path, body string) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.address+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if path == "/mcp" {
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var read bytes.Buffer
	if _, err := read.ReadFrom(response.Body); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, read.String()
}

// end sends a signal, waits for the process, and returns its exit status.
func (s *serving) end(signal os.Signal) int {
	s.t.Helper()
	return s.process.End(s.t, signal)
}

func TestServerAnswersItsFirstCallsAndShutsDownCleanly(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	token := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "me"))
	want := http.StatusCreated
	wait.Until(t, "a memory is indexed", func() error { // on a busy machine, a single call does not wait long enough
		status, body := s.call(token, http.MethodPut, "/v1/stores/self/memories/tea?wait=indexed", `{"value": "I like my tea green, and never after five."}`)
		if status != want {
			t.Fatalf("status %d, %s", status, body)
		}
		want = http.StatusOK
		if !strings.Contains(body, `"indexed":true`) {
			return errors.New(body)
		}
		return nil
	})
	status, body := s.call(token, http.MethodPost, "/v1/search", `{"query": "what do I drink in the afternoon?"}`)
	if found := decode[answer](t, body); status != http.StatusOK || len(found.Hits) != 1 || found.Hits[0].Key != "tea" {
		t.Fatalf("status %d, %s", status, body)
	}
	if status, _ := s.call("nonsense", http.MethodPost, "/v1/search", `{"query": "tea"}`); status != http.StatusUnauthorized {
		t.Errorf("status %d without a token", status)
	}
	if status := s.end(syscall.SIGTERM); status != exitDone {
		t.Errorf("exit status %d: %s", status, s.log)
	}
	if strings.Contains(s.log.String(), "tea") {
		t.Errorf("the log shows memory text: %s", s.log)
	}
}

func TestCommandsWorkAlongsideAServerAndThroughIt(t *testing.T) {
	s := serve(t, t.TempDir())
	counts := decode[importCounts](t, must(t, s.dir, "", "import", "--url", s.address, "--json", sampleMemories))
	if counts.Created != 40 || len(counts.Refused) != 0 {
		t.Fatalf("got %+v", counts)
	}
	again := mneme(t, s.dir, "", "import", "--url", s.address, "--json", "--agent", "iris", sampleMemories)
	if counts := decode[importCounts](t, again.out); again.status == exitDone || counts.Unchanged != 24 || len(counts.Refused) != 16 {
		t.Errorf("iris has no access to the other store: got %+v, %s", counts, again.err)
	}
	const question = "what must I not cook for Ben?"
	// A local search sees the server's writes at once, and their vectors soon.
	wait.Until(t, "the command and the server answer the same", func() error {
		local := decode[answer](t, must(t, s.dir, "", "search", "--agent", "iris", "--json", question))
		remote := decode[answer](t, must(t, s.dir, "", "search", "--agent", "iris", "--json", "--url", s.address, question))
		local.NextCursor, remote.NextCursor = nil, nil // sealed: their bytes differ
		a, _ := json.Marshal(local)
		b, _ := json.Marshal(remote)
		if !bytes.Equal(a, b) || len(local.Hits) != 10 {
			return fmt.Errorf("local answer %s\nserver's answer %s", a, b)
		}
		return nil
	})
	local := must(t, s.dir, "", "export", "--agent", "iris")
	if remote := must(t, s.dir, "", "export", "--agent", "iris", "--url", s.address); sorted(t, remote) != sorted(t, local) {
		t.Errorf("local export\n%sserver's export\n%s", local, remote)
	}
	denied := mneme(t, s.dir, "", "search", "--agent", "iris", "--stores", "forge", "--url", s.address, "q")
	if denied.status != exitFailed || !strings.Contains(denied.err, "403") {
		t.Errorf("got %+v", denied)
	}
	t.Setenv("MNEME_TOKEN", "nonsense")
	refused := mneme(t, s.dir, "", "search", "--agent", "iris", "--url", s.address, "q")
	if refused.status != exitFailed || !strings.Contains(refused.err, "401") {
		t.Errorf("got %+v", refused)
	}
	if status := s.end(os.Interrupt); status != exitDone {
		t.Errorf("exit status %d: %s", status, s.log)
	}
}

// sorted returns NDJSON lines with their fields sorted.
func sorted(t *testing.T, lines string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		text, err := json.Marshal(decode[map[string]any](t, line))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	return out.String()
}

func TestPortInUseIsReported(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	r := mneme(t, t.TempDir(), "", "serve", "--addr", taken.Addr().String())
	if r.status != exitFailed || !strings.Contains(r.err, "in use") {
		t.Errorf("got %+v", r)
	}
}

// The log reports when and how a server started and stopped, without secrets.
func TestTheLogReportsStartAndStop(t *testing.T) {
	t.Parallel()
	command := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir(), "--json")
	command.Env = append(os.Environ(), "MNEME_LOG_FORMAT=json", "MNEME_LIMITS_RETENTION=30d", "MNEME_METER_SECRET="+strings.Repeat("hush", 8),
		"MNEME_POSTGRES_DSN=postgres://u:hush@h/d", "MNEME_OPENAI_BASE_URL=http://u:hush@h/v1?key=hush")
	p := mnemetest.Start(t, command)
	if status := p.End(t, syscall.SIGTERM); status != exitDone {
		t.Errorf("exit status %d", status)
	}
	text := p.Log.String()
	if strings.Contains(text, "hush") {
		t.Errorf("the log has a secret: %s", text)
	}
	var told []string
	for line := range strings.Lines(text) {
		entry := decode[map[string]any](t, line)
		switch told = append(told, fmt.Sprint(entry["msg"])); entry["msg"] {
		case "starting":
			if entry["pid"] != float64(command.Process.Pid) || entry["version"] == "" {
				t.Errorf("%v", entry)
			}
		case "settings in force":
			changed, _ := entry["changed"].(map[string]any)
			if entry["storage"] != "sqlite" || changed["limits.retention"] != "720h0m0s" || changed["postgres.dsn"] != "[hidden]" || len(changed) < 6 {
				t.Errorf("%v", entry)
			}
		case "ready":
			if fmt.Sprint(entry["addresses"]) != "["+p.Address+"]" {
				t.Errorf("%v, not %s", entry, p.Address)
			}
		case "stopping":
			if reason := fmt.Sprint(entry["reason"]); !strings.Contains(reason, "signal") {
				t.Errorf("%v", entry)
			}
		}
	}
	if want := []string{"starting", "settings in force", "ready", "stopping", "all requests are answered", "stopped"}; !slices.Equal(told, want) {
		t.Errorf("the log has %q, not %q", told, want)
	}
}

func TestAServerOnAllInterfacesWithoutTLSWarns(t *testing.T) {
	t.Parallel()
	p := mnemetest.Start(t, exec.Command(binary, "serve", "--addr", "0.0.0.0:0", "--data-dir", t.TempDir(), "--json"))
	if !strings.HasPrefix(p.Address, "http://127.0.0.1:") || strings.HasSuffix(p.Address, ":0") {
		t.Errorf("the address is %s", p.Address)
	}
	must(t, "", "", "ready", patient, "--url", p.Address)
	if log := p.Log.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "without TLS") || !strings.Contains(log, p.Address) {
		t.Error(log)
	}
}

func TestWhichServersAreExposed(t *testing.T) {
	all, loopback := &net.TCPAddr{IP: net.IPv6zero, Port: 7077}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7077}
	plain := configs.Default()
	encrypted, proxied := plain, plain
	encrypted.TLS.Cert, proxied.PublicURL = "cert.pem", "https://memory.example.com"
	for name, test := range map[string]struct {
		config configs.Config
		addr   net.Addr
		want   bool
	}{
		"all interfaces": {plain, all, true}, "one of them": {plain, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 1}, true},
		"loopback": {plain, loopback, false}, "TLS": {encrypted, all, false}, "a proxy": {proxied, all, false},
		"a socket": {plain, &net.UnixAddr{Name: "/m.sock", Net: "unix"}, false},
	} {
		if got := isExposed(test.config, test.addr); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	urls, err := urlsOf(encrypted, all)
	if err != nil || urls[0] != "https://127.0.0.1:7077" {
		t.Errorf("%q, %v", urls, err)
	}
	for _, one := range urls {
		if !strings.HasPrefix(one, "https://") || !strings.HasSuffix(one, ":7077") {
			t.Errorf("%q", urls)
		}
	}
}
