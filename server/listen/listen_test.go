package listen_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/server/listen"
)

// short returns a folder whose path is short enough for sockets on every system.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// echo answers each connection with one byte.
func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Write([]byte("x"))
		c.Close()
	}
}

func reach(t *testing.T, path string) error {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "unix", path)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Read(make([]byte, 1))
	return err
}

func TestASocketHasItsModeAndGoesWithItsListener(t *testing.T) {
	path := filepath.Join(short(t), "m.sock")
	l, err := listen.Open(t.Context(), "unix:"+path, 0o660)
	if err != nil {
		t.Fatal(err)
	}
	go echo(l)
	if err := reach(t, path); err != nil {
		t.Error(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o660 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if l.Addr().Network() != "unix" || l.Addr().String() != path {
		t.Errorf("listens on %s", l.Addr())
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestASocketInUseIsLeftAlone(t *testing.T) {
	path := filepath.Join(short(t), "m.sock")
	first, err := listen.Open(t.Context(), "unix:"+path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	go echo(first)
	if _, err := listen.Open(t.Context(), "unix:"+path, 0o600); !errors.Is(err, listen.ErrInUse) {
		t.Errorf("a second listener: %v", err)
	}
	if err := reach(t, path); err != nil {
		t.Errorf("the first one was cut off: %v", err)
	}
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(short(t), "m.sock")
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false) // the file remains, as after a process that was killed
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := listen.Open(t.Context(), "unix:"+path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go echo(l)
	if err := reach(t, path); err != nil {
		t.Error(err)
	}
}

func TestASocketOfALaterListenerIsNotRemoved(t *testing.T) {
	path := filepath.Join(short(t), "m.sock")
	l, err := listen.Open(t.Context(), "unix:"+path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	later, err := listen.Open(t.Context(), "unix:"+path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	go echo(later)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := reach(t, path); err != nil {
		t.Errorf("the later socket is gone: %v", err)
	}
}

func TestAFileThatIsNotASocketIsLeftAlone(t *testing.T) {
	path := filepath.Join(short(t), "note.txt")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := listen.Open(t.Context(), "unix:"+path, 0o600); err == nil {
		l.Close()
		t.Error("listens in place of a file")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	for _, missing := range []string{filepath.Join(short(t), "none", "m.sock"), filepath.Join(short(t), strings.Repeat("x", 200))} {
		l, err := listen.Open(t.Context(), "unix:"+missing, 0o600)
		if err == nil {
			l.Close()
			t.Errorf("listens on %s", missing)
		}
	}
}

func TestAnAddressInUseIsReported(t *testing.T) {
	first, err := listen.Open(t.Context(), "127.0.0.1:0", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := listen.Open(t.Context(), first.Addr().String(), 0); !errors.Is(err, listen.ErrInUse) {
		t.Error(err)
	}
}
