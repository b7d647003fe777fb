package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mneme/server/servertest"
	"mneme/test/mnemetest"
)

// shortDir returns a folder in which socket paths are short enough.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestCommandsReachAServerOverItsSocket(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	path := filepath.Join(dir, "m.sock")
	var config net.ListenConfig
	if probe, err := config.Listen(t.Context(), "unix", path); err == nil {
		_ = probe.Close() // closing removes the socket
	} else if runtime.GOOS == "windows" {
		t.Skip("no Unix sockets here")
	}
	p := mnemetest.Start(t, exec.Command(binary, "serve", "--addr", "unix:"+path, "--data-dir", dir, "--json"))
	if p.Address != "unix://"+path {
		t.Fatalf("listens on %s", p.Address)
	}
	must(t, dir, "{\"key\":\"tea\",\"value\":\"green\"}\n", "import", "--agent", "me", "--url", p.Address, "-")
	if out := must(t, dir, "", "list", "--agent", "me", "--url", p.Address); !strings.Contains(out, "tea") {
		t.Errorf("got %s", out)
	}
	must(t, dir, "", "ready", patient, "--url", p.Address)
	must(t, dir, "", "ready", patient, "--addr", "unix:"+path)
	findings, _ := diagnose(t, dir, "--addr", "unix:"+path)
	if f := findings["address"]; f.State != fine || !strings.Contains(f.Says, "a server is ready") {
		t.Errorf("%+v", f)
	}
	if r := mneme(t, dir, "", "serve", "--addr", "unix:"+path); r.status != exitFailed || !strings.Contains(r.err, "already in use") {
		t.Errorf("a second server: %+v", r)
	}
	p.End(t, syscall.SIGTERM)
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left behind")
	}
	if r := mneme(t, dir, "", "ready", patient, "--addr", "unix:"+path); r.status != exitFailed {
		t.Errorf("%+v", r)
	}
}

func TestAServerWithTLSIsReady(t *testing.T) {
	dir := t.TempDir()
	cert, key := servertest.Certify(t, dir, "memory.example", 1000*time.Hour)
	t.Setenv("MNEME_TLS_CERT", cert)
	t.Setenv("MNEME_TLS_KEY", key)
	s := serve(t, dir)
	address, ok := strings.CutPrefix(s.address, "https://")
	if !ok {
		t.Fatalf("listens on %s", s.address)
	}
	must(t, dir, "", "ready", patient, "--addr", address)
	findings, status := diagnose(t, dir, "--addr", address)
	if status != exitDone || findings["address"].State != fine || findings["certificate"].State != fine || !strings.Contains(findings["certificate"].Says, "memory.example") {
		t.Errorf("status %d: %+v", status, findings)
	}
	// The certificate of another server is not accepted, and no authority signed it.
	if r := mneme(t, dir, "", "ready", patient, "--url", s.address); r.status != exitFailed || !strings.Contains(r.err, "certificate") {
		t.Errorf("%+v", r)
	}
	t.Setenv("MNEME_TLS_CERT", filepath.Join(t.TempDir(), "none.pem"))
	if r := mneme(t, dir, "", "ready", patient, "--addr", address); r.status == exitDone {
		t.Errorf("%+v", r)
	}
	if r := mneme(t, t.TempDir(), "", "serve", "--addr", "127.0.0.1:0"); r.status != exitUsage && r.status != exitFailed || !strings.Contains(r.err, "none.pem") {
		t.Errorf("%+v", r)
	}
}

// expose makes a file readable by others.
func expose(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err := errors.Join(err, os.Remove(path), os.WriteFile(path, content, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorLooksAtTheCertificate(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		left  time.Duration
		open  bool // whether others than its owner can read it
		state state
	}{
		"good":         {1000 * time.Hour, false, fine},
		"ends soon":    {24 * time.Hour, false, warning},
		"has ended":    {-time.Hour, false, problem},
		"open to read": {1000 * time.Hour, true, warning},
	} {
		cert, key := servertest.Certify(t, dir, "memory.example", c.left)
		if c.open {
			expose(t, key)
		}
		t.Setenv("MNEME_TLS_CERT", cert)
		t.Setenv("MNEME_TLS_KEY", key)
		findings, _ := diagnose(t, dir)
		if f := findings["certificate"]; f.State != c.state || (c.state == fine) != (f.Do == "") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	t.Setenv("MNEME_TLS_KEY", "")
	if findings, _ := diagnose(t, dir); findings["configuration"].State != problem {
		t.Errorf("a certificate without a key: %+v", findings)
	}
}
