package attacks

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mneme/storage/postgres/postgrestest"
	"mneme/test/mnemetest"
)

// option changes how a server is started.
type option func(*server)

// flags adds flags of `mneme serve`.
func flags(args ...string) option {
	return func(s *server) { s.args = append(s.args, args...) }
}

// environment adds environment variables, each NAME=value.
func environment(pairs ...string) option {
	return func(s *server) { s.env = append(s.env, pairs...) }
}

// config writes a configuration file for the server.
func config(yaml string) option {
	return func(s *server) {
		s.t.Helper()
		path := filepath.Join(s.dir, "config.yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			s.t.Fatal(err)
		}
		s.env = append(s.env, "MNEME_CONFIG="+path)
	}
}

// postgres stores the server's data in a new PostgreSQL database. It skips the test
// unless MNEME_POSTGRES_DSN is set.
func postgres() option {
	return func(s *server) {
		s.t.Helper()
		s.env = append(s.env, "MNEME_STORAGE=postgres", "MNEME_POSTGRES_DSN="+postgrestest.Database(s.t))
	}
}

// eachStorage runs an attack on SQLite and on PostgreSQL.
func eachStorage(t *testing.T, attack func(t *testing.T, storage option)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { attack(t, flags()) })
	t.Run("postgres", func(t *testing.T) { attack(t, postgres()) })
}

// server is a `mneme serve` process with a data folder of its own. Its storage
// is SQLite unless an option says otherwise.
type server struct {
	*mnemetest.Process
	t    testing.TB
	dir  string   // data folder
	args []string // arguments of serve
	env  []string // in addition to the test's environment

	mu      sync.Mutex
	secrets map[string]struct{} // must not appear in a log
	logs    []*mnemetest.Log    // one for each start
}

// start starts a server and waits until it listens on a free port of loopback. It
// is killed when the test ends.
func start(t testing.TB, options ...option) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("-short skips attacks on real processes")
	}
	s := &server{t: t, dir: t.TempDir(), secrets: make(map[string]struct{})}
	t.Cleanup(s.checkLogs)
	s.run(options)
	return s
}

// restart sends SIGTERM or SIGKILL to the process, and starts it again over the same
// data when it has ended. Its address changes.
func (s *server) restart(signal syscall.Signal, options ...option) {
	s.t.Helper()
	s.End(s.t, signal)
	s.run(options)
}

func (s *server) run(options []option) {
	s.t.Helper()
	for _, apply := range options {
		apply(s)
	}
	s.Process = mnemetest.Start(s.t, s.command(append([]string{"serve", "--json", "--addr", "127.0.0.1:0"}, s.args...)...))
	s.logs = append(s.logs, s.Log)
}

// command returns a mneme command over the server's data, not yet started.
func (s *server) command(args ...string) *exec.Cmd {
	s.t.Helper()
	binary, err := attackBinary()
	if err != nil {
		s.t.Fatal(err)
	}
	command := exec.Command(binary, append(args, "--data-dir", s.dir)...)
	command.Env = append(os.Environ(), "MNEME_CONNECTIONS_OPERATORS=127.0.0.0/8") // the tests read metrics
	command.Env = append(command.Env, s.env...)
	return command
}

// output runs a command that must succeed and returns what it prints.
func (s *server) output(args ...string) string {
	s.t.Helper()
	var out, stderr bytes.Buffer
	command := s.command(args...)
	command.Stdout, command.Stderr = &out, &stderr
	if err := command.Run(); err != nil {
		s.t.Fatalf("mneme %s: %v\n%s", args[0], err, stderr.String())
	}
	return out.String()
}

// secretPrefix is the length, in bytes, of the prefix of a secret that checkLogs
// searches for: a log might quote the beginning of a long text.
const secretPrefix = 40

// secret declares texts that no log may contain. The helpers declare the tokens,
// values and queries that they send. secret ignores texts of less than 8 bytes,
// which a log may contain by chance.
func (s *server) secret(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if len(text) >= 8 {
			s.secrets[text[:min(len(text), secretPrefix)]] = struct{}{}
		}
	}
}

// checkLogs fails the test if a log contains a secret.
func (s *server) checkLogs() {
	s.t.Helper()
	for _, log := range s.logs {
		text := log.String()
		for secret := range s.secrets {
			if at := strings.Index(text, secret); at >= 0 {
				from, to := max(0, at-200), min(len(text), at+200)
				s.t.Errorf("the log contains %q: %s", secret, text[from:to])
			}
		}
	}
}
