//go:build unix

package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/test/faulttest"
)

// Pooler runs PgBouncer in front of the server of a DSN, a URL from Database, until the test
// ends, and returns a DSN that leads through it. settings are additional settings, as
// name=value; without any, it has the configuration of its Debian package. If PgBouncer is not
// installed, the test is skipped, or fails if CI is set.
func Pooler(t testing.TB, dsn string, settings ...string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil { // Debian's folder is not in every user's path
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("PgBouncer is not installed")
		}
		t.Skip("PgBouncer is not installed")
	}
	server, err := url.Parse(dsn)
	if err != nil {
		t.Fatal("the server's DSN is not a URL") // the error quotes it
	}
	port, err := faulttest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	file, credential := writePoolerFiles(t, server, port, settings)
	process := exec.Command(program, file)
	process.Dir = filepath.Dir(file)
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	release, err := faulttest.KillWithParent(process.Process.Pid)
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait() // it was killed: the error says only that
		if release != nil {
			release()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	through := *server
	through.Host = "127.0.0.1:" + port
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, through.String())
		if err == nil {
			_ = conn.Close(ctx)
			return through.String()
		}
		select {
		case <-ctx.Done():
			t.Fatal("PgBouncer accepts no connections") // the error quotes the DSN
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// writePoolerFiles writes PgBouncer's configuration, and returns its path and the user that may
// read it, nil for this process's.
func writePoolerFiles(t testing.TB, server *url.URL, port string, settings []string) (file string, credential *syscall.Credential) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mneme-pooler-*") // not t.TempDir, which is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	password, _ := server.User.Password()
	file = filepath.Join(dir, "pgbouncer.ini")
	config := fmt.Sprintf("[databases]\n* = host=%s port=%s\n[pgbouncer]\nlogfile=%s\nlisten_addr=127.0.0.1\nlisten_port=%s\nunix_socket_dir=\nauth_type=md5\nauth_file=%s\n",
		server.Hostname(), server.Port(), filepath.Join(dir, "log"), port, filepath.Join(dir, "users"))
	for _, setting := range settings {
		config += setting + "\n"
	}
	users := strconv.Quote(server.User.Username()) + " " + strconv.Quote(password) + "\n"
	for path, content := range map[string]string{file: config, filepath.Join(dir, "users"): users} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() != 0 { // PgBouncer refuses to run as root
		return file, nil
	}
	if credential, err = packageUser(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file, filepath.Join(dir, "users")} {
		if err := os.Chown(path, int(credential.Uid), int(credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return file, credential
}
