//go:build unix

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"mneme/storage/postgres/postgrestest"
	"mneme/test/faulttest"
	"mneme/test/mnemetest"
	"mneme/vector/milvus/milvustest"
)

// service is one mneme service, run by any number of processes. They share a
// database, a prefix of Milvus collections, and a signing key.
type service struct {
	t           *testing.T
	dsn, prefix string
	milvus      string // host:port
	key         string // path of the first process's signing.key; empty before its start
}

func newService(t *testing.T) *service {
	t.Helper()
	needServers(t)
	return &service{t: t, dsn: postgrestest.DatabaseAt(t, postgresServer.DSN()), prefix: milvustest.NewPrefix(), milvus: milvusServer.Addr()}
}

// proxied starts a proxy in front of Milvus, which processes started later use.
func (s *service) proxied() *faulttest.FaultProxy {
	s.t.Helper()
	proxy := faulttest.NewFaultProxy(s.t, milvusServer.Addr())
	s.milvus = proxy.Addr()
	return proxy
}

// query reads one row of the service's database.
func (s *service) query(into any, query string, args ...any) error {
	config, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		return err
	}
	server, err := pgx.ParseConfig(postgresServer.DSN())
	if err != nil {
		return err
	}
	config.User, config.Password = server.User, server.Password // exempt from row-level security
	conn, err := pgx.ConnectConfig(s.t.Context(), config)
	if err != nil {
		return err
	}
	defer conn.Close(s.t.Context())
	return conn.QueryRow(s.t.Context(), query, args...).Scan(into)
}

// command returns a mneme command over the service's storage, not yet started.
func (s *service) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append(args, "--data-dir", dir)...)
	cmd.Env = append(os.Environ(), "MNEME_STORAGE=postgres", "MNEME_VECTOR=milvus",
		"MNEME_POSTGRES_DSN="+s.dsn, "MNEME_MILVUS_ADDR="+s.milvus, "MNEME_MILVUS_PREFIX="+s.prefix,
		"MNEME_CONNECTIONS_OPERATORS=127.0.0.0/8") // the tests read the length of the queue
	return cmd
}

// process is one `mneme serve`.
type process struct {
	t       *testing.T
	service *service
	dir     string
	*mnemetest.Process
}

// serve starts a process. environment adds variables, as NAME=value.
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

// start starts the process, or restarts it after it has exited.
func (p *process) start(environment ...string) {
	p.t.Helper()
	command := p.service.command(p.dir, "serve", "--addr", "127.0.0.1:0", "--json")
	command.Env = append(command.Env, environment...)
	p.Process = mnemetest.Start(p.t, command)
}

// shutDown shuts the process down (SIGTERM) and returns its exit status.
func (p *process) shutDown() int {
	p.t.Helper()
	return p.End(p.t, syscall.SIGTERM)
}

// kill sends SIGKILL to the process if it is running.
func (p *process) kill() { p.Kill() }

// token returns a token signed with the service's key.
func (p *process) token(agent string, flags ...string) string {
	p.t.Helper()
	return strings.TrimSpace(p.service.run(p.dir, append([]string{"token", "--agent", agent}, flags...)...))
}

// run runs a mneme command, which must succeed, and returns its output.
func (s *service) run(dir string, args ...string) string {
	s.t.Helper()
	var out, stderr bytes.Buffer
	cmd := s.command(dir, args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("mneme %s: %v\n%s", args[0], err, stderr.String())
	}
	return out.String()
}

// reconciled is the output of `mneme reconcile --json`.
type reconciled struct{ Rows, Indexed, Removed, Restored int }

func (p *process) reconcile() reconciled {
	p.t.Helper()
	var r reconciled
	if err := json.Unmarshal([]byte(p.service.run(p.dir, "reconcile", "--json")), &r); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// checkInSync checks that rows and vectors agree, so that a reconciliation repairs
// nothing.
func (p *process) checkInSync(entries int) {
	p.t.Helper()
	if got, want := p.reconcile(), (reconciled{Rows: entries, Indexed: entries}); got != want {
		p.t.Errorf("reconcile reports %+v, want %+v", got, want)
	}
}

// checkInSync waits until all processes of a service are idle, and checks that rows and
// vectors agree. When the queue is empty, a process may still be writing leased entries to the
// index, after which it reads the rows again. So vectors may disagree once if afterwards a
// process has indexed more entries.
func checkInSync(entries int, processes ...*process) {
	first := processes[0]
	first.t.Helper()
	waitIdle(processes)
	before := indexed(processes)
	got := first.reconcile()
	if got == (reconciled{Rows: entries, Indexed: entries}) {
		return
	}
	eventually(first.t, func() error {
		if indexed(processes) == before {
			return fmt.Errorf("reconcile reports %+v of %d entries, and no process was writing any", got, entries)
		}
		return nil
	})
	waitIdle(processes)
	first.checkInSync(entries)
}

func waitIdle(processes []*process) {
	for _, p := range processes {
		p.t.Helper()
		p.waitIdle()
	}
}

// indexed returns how many entries processes have indexed.
func indexed(processes []*process) (sum float64) {
	for _, p := range processes {
		sum += p.counter("mneme_indexed_entries_total")
	}
	return sum
}

// eventually polls check until it returns nil.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	if err := poll(t.Context(), check); err != nil {
		t.Fatal(err)
	}
}
