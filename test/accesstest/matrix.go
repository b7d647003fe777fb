package accesstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"mneme/acl"
)

// relation is the caller's relation to the store under test.
type relation struct {
	name     string
	store    string
	level    acl.Level
	self     bool   // the caller is the store's own agent and wrote its entries
	user     string // claim of the caller's token
	platform bool   // the caller has a platform token
	lower    bool   // the caller's grant has a lower label than its session
	sleeps   bool   // the caller has a grant that is not in effect
	trade    *trade // nil: no offer has been made on the store
	setUp    func(e *env)
}

// kind is a kind of entry.
type kind string

const (
	plain     kind = "plain"
	internal  kind = "not in context"
	encrypted kind = "encrypted"
)

var kinds = []kind{plain, internal, encrypted}

// labels are the labels of entries. The caller's session is at INTERNAL, so
// that there are entries below, at and above its taint.
var labels = []acl.Label{acl.Public, acl.Internal, acl.Confidential}

const (
	taint = acl.Internal
	word  = "heliotrope" // in every value, so that the search finds every visible entry
)

// env is a set of agents and filled stores, with the caller in one relation to
// a store. Environments share a database but no names, so their agents are
// strangers to each other.
type env struct {
	t      testing.TB
	number int
	Surface
	relation
	offer uuid.UUID // on the store under test; uuid.Nil: none
}

// Do implements Surface. It makes the matrix's plain names unique to the
// environment.
func (e *env) Do(p acl.Principal, op Operation) Outcome {
	for _, name := range []*string{&p.Agent, &p.User, &op.Store, &op.Other} {
		if *name != "" {
			*name = e.unique(*name)
		}
	}
	if op.ToStore != nil {
		op.ToStore = new(e.unique(*op.ToStore))
	}
	op.Offer = e.offerOf(op)
	return e.Surface.Do(p, op)
}

// Is reports whether an ID that a Surface gets stands for a name of the matrix: each
// environment makes names unique, such as caller@7 for caller.
func Is(id, name string) bool {
	plain, _, _ := strings.Cut(id, "@")
	return plain == name
}

func relations() []relation {
	grant := func(level acl.Level, ttl time.Duration) func(*env) {
		return func(e *env) {
			e.must(acl.Principal{Agent: "owner", Taint: taint}, Operation{Name: Share, Store: "owner", Other: "caller", Level: level, TTL: ttl})
			e.must(acl.Principal{Agent: "caller", Taint: taint}, Operation{Name: AcceptGrant, Store: "owner"})
		}
	}
	platform := principal("platform")
	platform.Platform = true
	return append([]relation{
		{name: "own store", store: "owner", level: acl.ReadWrite, self: true},
		{name: "search grant", store: "owner", level: acl.Search, setUp: grant(acl.Search, 0)},
		{name: "read grant", store: "owner", level: acl.Read, setUp: grant(acl.Read, 0)},
		{name: "read grant by the platform", store: "owner", level: acl.Read, lower: true, setUp: func(e *env) {
			e.must(platform, Operation{Name: Share, Store: "owner", Other: "caller", Level: acl.Read, MaxLabel: acl.Restricted})
		}},
		{name: "grant of a session above the caller's", store: "owner", setUp: func(e *env) {
			e.must(principal("owner"), Operation{Name: Share, Store: "owner", Other: "caller", Level: acl.ReadWrite})
		}},
		{name: "grant that the caller ended", store: "owner", setUp: func(e *env) {
			grant(acl.ReadWrite, 0)(e)
			e.must(acl.Principal{Agent: "caller", Taint: taint}, Operation{Name: Unshare, Store: "owner", Other: "caller"})
		}},
		{name: "readwrite grant", store: "owner", level: acl.ReadWrite, setUp: grant(acl.ReadWrite, 0)},
		{name: "expired grant", store: "owner", setUp: func(e *env) {
			grant(acl.ReadWrite, time.Minute)(e)
			e.Advance(time.Hour)
		}},
		{name: "grant whose maker lost access", store: "chat-1", sleeps: true, setUp: func(e *env) {
			e.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "maker"})
			e.must(acl.Principal{Agent: "maker", Taint: taint}, Operation{Name: Share, Store: "chat-1", Other: "caller", Level: acl.ReadWrite})
			e.must(platform, Operation{Name: LeaveChat, Store: "chat-1", Other: "maker"})
		}},
		{name: "participant", store: "chat-1", level: acl.ReadWrite, setUp: func(e *env) {
			e.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "caller"})
		}},
		{name: "former participant", store: "chat-1", setUp: func(e *env) {
			e.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "caller"})
			e.must(platform, Operation{Name: LeaveChat, Store: "chat-1", Other: "caller"})
		}},
		{name: "agent in a session of the user", store: "user-1", level: acl.ReadWrite, setUp: func(e *env) {
			e.must(platform, Operation{Name: JoinUser, Store: "user-1", Other: "caller"})
		}},
		{name: "agent that serves two users, on the other's store", store: "user-1", user: "user-2", setUp: func(e *env) {
			e.must(platform, Operation{Name: JoinUser, Store: "user-1", Other: "caller"})
			e.must(platform, Operation{Name: JoinUser, Store: "user-2", Other: "caller"})
		}},
		{name: "stranger", store: "owner"},
		{name: "platform token", store: "owner", platform: true},
		{name: "store that does not exist", store: "nowhere"},
	}, tradeRelations()...)
}

// caller returns the principal under test.
func (r relation) caller() acl.Principal {
	p := acl.Principal{Agent: "caller", Taint: taint, User: r.user}
	if r.self {
		p.Agent = r.store
	}
	p.Platform = r.platform
	return p
}

// Run runs the matrix: every operation in every relation.
func Run(t *testing.T, surface Surface) {
	number := 0
	for _, r := range relations() {
		t.Run(r.name, func(t *testing.T) {
			envs := make(map[string]*env)
			for _, c := range cases(r) {
				if !surface.Offers(c.op.Name) || c.op.Name == RefinedSearch && !surface.Offers(c.op.Option) {
					continue
				}
				if c.op.Name == PagedSearch && c.op.MaxCharge != nil && !surface.Offers(PagedPurchase) {
					continue
				}
				e := envs[c.env]
				if e == nil {
					number++
					e = newEnv(t, number, r, surface, contentsOf(c.env))
					envs[c.env] = e
				}
				t.Run(c.name, func(t *testing.T) {
					if c.before != nil {
						c.before(e)
					}
					c.check(t, e.Do(r.caller(), decomposed(c.op)))
				})
			}
		})
	}
}

// contents are the initial contents of the store under test.
type contents struct {
	kinds   []kind // of each label
	history bool   // each entry is written twice
}

// contentsOf returns the contents that the cases of an environment need. Only cases
// that read or restore an older version need a history, and cases of the whole
// store do not need entries of every kind.
func contentsOf(name string) contents {
	switch name {
	case unchanged, Restore:
		return contents{kinds, true}
	case managed:
		return contents{kinds[:1], false}
	}
	return contents{kinds, false}
}

func newEnv(t testing.TB, number int, r relation, surface Surface, c contents) *env {
	e := &env{t: t, number: number, Surface: surface, relation: r}
	e.fill(c)
	if r.setUp != nil {
		r.setUp(e)
	}
	return e
}

// fill writes an entry of every label and each of the given kinds into the store
// under test, twice if the entries need a history.
func (e *env) fill(c contents) {
	platform := principal("platform")
	platform.Platform = true
	e.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "resident"})
	e.must(platform, Operation{Name: JoinUser, Store: "user-1", Other: "resident"})
	for store, writer := range map[string]string{"owner": "owner", "chat-1": "resident", "user-1": "resident"} {
		if store != e.store {
			continue
		}
		for _, label := range labels {
			for _, k := range c.kinds {
				p := acl.Principal{Agent: writer, Taint: label}
				op := Operation{Name: Put, Store: store, Key: keyOf(label, k)}
				no, yes := false, true
				if k == internal {
					op.InContext = &no
				}
				if k == encrypted {
					op.Encrypted = &yes
				}
				if c.history {
					op.Value = "first " + word
					e.must(p, op)
				}
				op.Value = valueOf(label, k)
				e.must(p, op)
			}
		}
	}
}

func (e *env) must(p acl.Principal, op Operation) {
	e.t.Helper()
	if got := e.Do(p, op); got.Status/100 != 2 {
		e.t.Fatalf("setting up: %s by %s on %s: status %d", op.Name, p.Agent, op.Store, got.Status)
	}
}

func principal(agent string) acl.Principal {
	return acl.Principal{Agent: agent, Taint: acl.Restricted}
}

// keyOf returns a key with an é in one character. macOS writes it as two, see decomposed.
func keyOf(label acl.Label, k kind) string { return fmt.Sprintf("%s/é %s", label, k) }

// decomposed returns an operation whose keys have a different Unicode normalization
// form than the entries' keys, so that every case also tests that the form does not
// matter.
func decomposed(op Operation) Operation {
	op.Key, op.To = norm.NFD.String(op.Key), norm.NFD.String(op.To)
	return op
}

func valueOf(label acl.Label, k kind) string { return fmt.Sprintf("%s %s of %s", word, k, label) }

// listed returns the keys of entries of these kinds that a list at the caller's taint
// shows.
func listed(want ...kind) []string {
	var keys []string
	for _, label := range labels {
		for _, k := range kinds {
			if label <= taint && slices.Contains(want, k) {
				keys = append(keys, keyOf(label, k))
			}
		}
	}
	slices.Sort(keys)
	return keys
}
