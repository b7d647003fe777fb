//go:build unix

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

	"mneme/test/faulttest"
)

// ErrNoServer means that PostgreSQL's server binaries are not installed.
var ErrNoServer = errors.New("the PostgreSQL server binaries (initdb, postgres) are not installed")

// Server is a private PostgreSQL server on loopback that can be stopped and
// started again on the same port.
type Server struct {
	binDir, dataDir, port string
	credential            *syscall.Credential // of the server's user; nil: this process's
	process               *exec.Cmd           // nil: stopped
	ended                 chan error          // receives the result of process.Wait
	release               func()              // see faulttest.KillWithParent
}

// NewServer creates a database cluster below dir, which every user must be able
// to enter. The server is not started. The error is ErrNoServer if PostgreSQL is
// not installed.
func NewServer(dir string) (*Server, error) {
	binDir, err := findBinDir()
	if err != nil {
		return nil, err
	}
	s := &Server{binDir: binDir, dataDir: filepath.Join(dir, "postgres")}
	if err := os.Mkdir(s.dataDir, 0o700); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		if s.credential, err = packageUser(); err != nil {
			return nil, err
		}
		if err := os.Chown(s.dataDir, int(s.credential.Uid), int(s.credential.Gid)); err != nil {
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

// findBinDir returns the folder of the newest installed server's binaries.
func findBinDir() (string, error) {
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // fails only for a malformed pattern
	if len(found) == 0 {
		return "", ErrNoServer
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

// version returns the major version in a path …/VERSION/bin/initdb.
func version(initdb string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb)))) // 0 for versions before 10, such as 9.6
	return number
}

// packageUser returns the user postgres, which the PostgreSQL package creates.
func packageUser() (*syscall.Credential, error) {
	found, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: there is no user postgres to run the server as", ErrNoServer)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// command returns a command for a PostgreSQL program, by name or path, on the server's data.
func (s *Server) command(program string, arguments ...string) *exec.Cmd {
	if !filepath.IsAbs(program) {
		program = filepath.Join(s.binDir, program)
	}
	cmd := exec.Command(program, append([]string{"-D", s.dataDir}, arguments...)...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.credential}
	return cmd
}

// Program returns the path of a program of the server's version, such as pg_dump.
func (s *Server) Program(name string) string {
	initdb := filepath.Join(s.binDir, "initdb")
	if real, err := filepath.EvalSymlinks(initdb); err == nil { // not all programs may be linked
		initdb = real
	}
	return filepath.Join(filepath.Dir(initdb), name)
}

// Dir returns the server's data folder.
func (s *Server) Dir() string { return s.dataDir }

// DSN returns the URL of the database postgres, with a superuser.
func (s *Server) DSN() string {
	return "postgres://mneme@127.0.0.1:" + s.port + "/postgres?sslmode=disable"
}

// startLimit bounds a start. It is far above the time needed on a busy machine.
const startLimit = 4 * time.Minute

// Start starts the server and waits until it accepts connections, ctx ends or startLimit has
// passed. The server does not sync to disk, but it hands commits to the operating system, so
// that they survive a kill of the server. settings are additional server settings, as
// name=value.
func (s *Server) Start(ctx context.Context, settings ...string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.launch(settings); err != nil {
		return err
	}
	return s.ready(ctx)
}

// launch starts the server's process.
func (s *Server) launch(settings []string) error {
	s.process = s.command("postgres", "-p", s.port, "-k", s.dataDir, "-c", "listen_addresses=127.0.0.1",
		"-c", "fsync=off", "-c", "synchronous_commit=on", "-c", "full_page_writes=off", "-c", "max_connections=200")
	for _, setting := range settings {
		s.process.Args = append(s.process.Args, "-c", setting)
	}
	log, err := os.OpenFile(filepath.Join(filepath.Dir(s.dataDir), "postgres.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		s.process = nil
		return err
	}
	ended, process := make(chan error, 1), s.process
	s.ended = ended
	go func() { ended <- process.Wait() }()
	if s.release, err = faulttest.KillWithParent(s.process.Process.Pid); err != nil {
		return errors.Join(err, s.Stop())
	}
	return nil
}

// ready waits until the server accepts connections. It fails at once if the server ends.
func (s *Server) ready(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, s.DSN())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case ended := <-s.ended:
			s.forget()
			return fmt.Errorf("postgres has ended, see postgres.log: %w", errors.Join(ended, err))
		case <-ctx.Done():
			return fmt.Errorf("postgres does not accept connections: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// forget records that the process has ended.
func (s *Server) forget() {
	s.process = nil
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// Stop shuts the server down immediately, without a checkpoint: open
// transactions are aborted, and the next start runs recovery. It does nothing if
// the server is stopped.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.process.Process.Signal(syscall.SIGQUIT); err != nil && !errors.Is(err, os.ErrProcessDone) { // immediate shutdown
		return err
	}
	err := <-s.ended
	s.forget()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // expected after an immediate shutdown
	}
	return err
}

// Kill kills every process of the server (SIGKILL). The next start runs recovery.
func (s *Server) Kill() error {
	// The server is stopped first, so that it starts no process meanwhile, and
	// dies last: its next start refuses to run beside old processes.
	if err := s.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	children, err := s.children()
	if err != nil {
		return err
	}
	for _, pid := range children {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(2 * time.Minute); slices.ContainsFunc(children, running); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("processes of postgres outlive a kill: %v", slices.DeleteFunc(children, func(pid int) bool { return !running(pid) }))
		}
	}
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	<-s.ended
	s.forget()
	return nil
}

// running reports whether a process has not ended. A zombie has ended.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The state follows the program's name in parentheses.
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// Pause suspends every process of the server (SIGSTOP): connections stay open, but the server
// does not respond.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume resumes a paused server.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

// signal sends a signal to the server and then to its children, which are in process groups of
// their own.
func (s *Server) signal(sig syscall.Signal) error {
	if err := s.process.Process.Signal(sig); err != nil {
		return err
	}
	children, err := s.children()
	if err != nil {
		return err
	}
	for _, pid := range children {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) { // it may have exited
			return err
		}
	}
	return nil
}

func (s *Server) children() (pids []int, err error) {
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(s.process.Process.Pid)).Output()
	if err != nil {
		return nil, fmt.Errorf("pgrep: %w", err)
	}
	for _, child := range strings.Fields(string(out)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}
