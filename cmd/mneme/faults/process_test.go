package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/cmd/mneme/mnemetest"
	"mneme/faulttest"
	"mneme/storage/postgres/postgrestest"
	"mneme/vector/milvus/milvustest"
)

var errShort = errors.New("these tests start servers: skipped by -short")

func shortened() error {
	flag.Parse()
	if testing.Short() {
		return errShort
	}
	return nil
}

// needServers skips a test that cannot run here, or fails it if CI is set.
func needServers(t *testing.T) {
	t.Helper()
	switch {
	case missing == nil:
	case os.Getenv("CI") != "" && !errors.Is(missing, errShort):
		t.Fatal(missing)
	default:
		t.Skip(missing)
	}
}

// service is one mneme of any number of processes: a database, a name for
// collections, and a signing key.
type service struct {
	t           *testing.T
	dsn, prefix string
	milvus      string // host:port
	key         string // signing.key, of the first process; empty: none yet
}

func newService(t *testing.T) *service {
	t.Helper()
	needServers(t)
	return &service{t: t, dsn: postgrestest.DatabaseAt(t, rows.DSN()), prefix: milvustest.NewPrefix(), milvus: vectors.Addr()}
}

// proxied puts a proxy in front of Milvus for processes started afterwards.
func (s *service) proxied() *faulttest.FaultProxy {
	s.t.Helper()
	proxy := faulttest.NewFaultProxy(s.t, vectors.Addr())
	s.milvus = proxy.Addr()
	return proxy
}

// query reads one row of the service's database.
func (s *service) query(into any, query string, args ...any) error {
	conn, err := pgx.Connect(s.t.Context(), s.dsn)
	if err != nil {
		return err
	}
	defer conn.Close(s.t.Context())
	return conn.QueryRow(s.t.Context(), query, args...).Scan(into)
}

// command is a command line over the service's storage.
func (s *service) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append(args, "--data-dir", dir)...)
	cmd.Env = append(os.Environ(), "MNEME_STORAGE=postgres", "MNEME_VECTOR=milvus",
		"MNEME_POSTGRES_DSN="+s.dsn, "MNEME_MILVUS_ADDR="+s.milvus, "MNEME_MILVUS_PREFIX="+s.prefix)
	return cmd
}

// process is one `mneme serve`.
type process struct {
	t       *testing.T
	service *service
	dir     string
	*mnemetest.Process
}

// serve starts a process. environment adds to its configuration.
func (s *service) serve(environment ...string) *process {
	s.t.Helper()
	p := &process{t: s.t, service: s, dir: s.t.TempDir()}
	if s.key != "" {
		key, err := os.ReadFile(s.key)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.dir, filepath.Base(s.key)), key, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	p.start(environment...)
	if s.key == "" {
		s.key = filepath.Join(p.dir, "signing.key")
	}
	return p
}

// start starts the process, or starts it again after it ended.
func (p *process) start(environment ...string) {
	p.t.Helper()
	command := p.service.command(p.dir, "serve", "--addr", "127.0.0.1:0", "--json")
	command.Env = append(command.Env, environment...)
	p.Process = mnemetest.Start(p.t, command)
}

// end shuts the process down (SIGTERM) and returns its exit status.
func (p *process) end() int {
	p.t.Helper()
	return p.End(p.t, syscall.SIGTERM)
}

// kill ends the process with SIGKILL, if it runs.
func (p *process) kill() { p.Kill() }

// token returns a token signed with the service's key.
func (p *process) token(agent string, flags ...string) string {
	p.t.Helper()
	return strings.TrimSpace(p.service.run(p.dir, append([]string{"token", "--agent", agent}, flags...)...))
}

// run runs a command line that must succeed and returns its output.
func (s *service) run(dir string, args ...string) string {
	s.t.Helper()
	var out, complaint bytes.Buffer
	cmd := s.command(dir, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("mneme %s: %v\n%s", args[0], err, complaint.String())
	}
	return out.String()
}

// reconciled is what `mneme reconcile --json` prints.
type reconciled struct{ Rows, Indexed, Removed, Restored int }

func (p *process) reconcile() reconciled {
	p.t.Helper()
	var r reconciled
	if err := json.Unmarshal([]byte(p.service.run(p.dir, "reconcile", "--json")), &r); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// inStep checks that rows and vectors agree, so that nothing is repaired.
func (p *process) inStep(entries int) {
	p.t.Helper()
	if got, want := p.reconcile(), (reconciled{Rows: entries, Indexed: entries}); got != want {
		p.t.Errorf("reconcile reports %+v, want %+v", got, want)
	}
}

// eventually waits until check returns nil.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("still: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
