//go:build unix

package faults

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/mnemetest"
)

// The test uses PgBouncer's packaged configuration, and a configuration in which each
// transaction may use a different server connection, with fewer connections than calls.
func TestProcessesServeThroughAPooler(t *testing.T) {
	need(t, build, startPostgres)
	for name, settings := range map[string][]string{"sessions": nil, "transactions": {"pool_mode=transaction", "default_pool_size=5"}} {
		t.Run(name, func(t *testing.T) {
			d := newDatabase(t, postgresFlat, false)
			d.dsn = postgrestest.Pooler(t, d.dsn, settings...)
			var processes []*mnemetest.Process // both migrate
			for _, name := range []string{"first", "second"} {
				command := d.command(name, "serve", "--addr", "127.0.0.1:0", "--json")
				command.Env = append(command.Env, "MNEME_POSTGRES_DSN="+d.dsn) // without pool_max_conns
				processes = append(processes, mnemetest.Launch(t, command))
			}
			for _, p := range processes {
				if err := p.AwaitListening(); err != nil {
					t.Fatalf("mneme did not start: %s", p.Log.Last(30))
				}
			}
			const calls, agents = 64, 8
			var group sync.WaitGroup
			for i := range calls {
				group.Go(func() {
					callThroughPooler(t, d, processes[i%2].Address, fmt.Sprint("agent", i%agents), fmt.Sprint("note", i))
				})
			}
			group.Wait()
		})
	}
}

// callThroughPooler writes a memory of an agent, reads it, and searches for a word that the
// memories of all agents have. The hits must be the agent's own.
func callThroughPooler(t *testing.T, d *database, address, agent, key string) {
	signed, err := d.mint(acl.Principal{Agent: agent, Taint: acl.Internal})
	if err != nil {
		t.Error(err)
		return
	}
	a := remote{t, address, signed}
	path := "/v1/stores/self/memories/" + key
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPut, path, map[string]any{"value": "heron of " + agent}},
		{http.MethodGet, path, nil},
		{http.MethodGet, "/v1/stores/self/memories", nil},
		{http.MethodPost, "/v1/search", map[string]any{"query": "heron"}},
	} {
		got := a.call(call.method, call.path, call.body)
		if got.status >= 300 || got.status == 0 {
			t.Errorf("%s: %v", call.method, got)
		}
		if own := "heron of " + agent; strings.Count(string(got.body), "heron of ") != strings.Count(string(got.body), own) {
			t.Errorf("%s gets a memory of another agent: %s", agent, got.body)
		}
	}
}
