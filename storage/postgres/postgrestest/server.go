package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/faulttest"
)

// ErrNoServer says that PostgreSQL's programs are not installed.
var ErrNoServer = errors.New("PostgreSQL's programs (initdb, postgres) are not installed")

// Server is a PostgreSQL of a test's own, on loopback, that can be stopped
// and started again at the same port.
type Server struct {
	programs, data, port string
	as                   *syscall.Credential // nil: this process's own
	process              *exec.Cmd           // nil: stopped
	release              func()              // see faulttest.KillWithParent
}

// NewServer makes a database cluster in a folder that anybody may enter.
func NewServer(dir string) (*Server, error) {
	programs, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{programs: programs, data: filepath.Join(dir, "postgres")}
	if err := os.Mkdir(s.data, 0o700); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		if s.as, err = servant(); err != nil {
			return nil, err
		}
		if err := os.Chown(s.data, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return nil, err
		}
	}
	if s.port, err = faulttest.FreePort(); err != nil {
		return nil, err
	}
	out, err := s.command("initdb", "-A", "trust", "-U", "mneme", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, nil
}

// programs is the folder of the newest server's programs.
func programs() (string, error) {
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // a constant pattern
	if len(found) == 0 {
		return "", ErrNoServer
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

// version reads …/VERSION/bin/initdb.
func version(initdb string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb)))) // 0 before 10
	return number
}

// servant is the user that PostgreSQL's package made.
func servant() (*syscall.Credential, error) {
	found, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: no user postgres to run it as", ErrNoServer)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (s *Server) command(program string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, program), append([]string{"-D", s.data}, arguments...)...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.as}
	return cmd
}

// DSN is the URL of the server's own database, as a user that may do all.
func (s *Server) DSN() string {
	return "postgres://mneme@127.0.0.1:" + s.port + "/postgres?sslmode=disable"
}

// Start starts the server and waits until it answers. It does not wait for
// the disk, but hands what it commits to the operating system, so that
// nothing committed is lost however the server ends.
func (s *Server) Start(ctx context.Context) error {
	s.process = s.command("postgres", "-p", s.port, "-k", s.data, "-c", "listen_addresses=127.0.0.1",
		"-c", "fsync=off", "-c", "synchronous_commit=on", "-c", "full_page_writes=off", "-c", "max_connections=200")
	log, err := os.OpenFile(filepath.Join(filepath.Dir(s.data), "postgres.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return err
	}
	if s.release, err = faulttest.KillWithParent(s.process.Process.Pid); err != nil {
		return errors.Join(err, s.Stop())
	}
	for {
		conn, err := pgx.Connect(ctx, s.DSN())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the server at once: transactions are cut off, nothing is
// written in order, and the next start recovers.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.process.Process.Signal(syscall.SIGQUIT); err != nil { // an immediate shutdown
		return err
	}
	err := s.process.Wait()
	s.process = nil
	if s.release != nil {
		s.release()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // its own way to say that it did not end in order
	}
	return err
}

// Pause stops every process of the server where it is (SIGSTOP): connections
// stand, and nobody answers.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

// signal reaches the server and its children, which lead process groups of
// their own.
func (s *Server) signal(signal syscall.Signal) error {
	parent := s.process.Process.Pid
	if err := syscall.Kill(parent, signal); err != nil {
		return err
	}
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(parent)).Output()
	if err != nil {
		return fmt.Errorf("pgrep: %w", err)
	}
	for _, child := range strings.Fields(string(out)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) { // it may have ended
			return err
		}
	}
	return nil
}
