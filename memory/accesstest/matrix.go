package accesstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
)

// relation is how the caller stands to the store that it tries.
type relation struct {
	name    string
	store   string
	level   acl.Level
	self    bool   // the caller is the store's own agent and wrote its entries
	user    string // claim of the caller's token
	arrange func(w *world)
}

// kind is what sort of entry it is.
type kind string

const (
	plain     kind = "plain"
	internal  kind = "not in context"
	encrypted kind = "encrypted"
)

var kinds = []kind{plain, internal, encrypted}

// The labels of entries; the caller's session is at INTERNAL, so that there
// are entries below, at and above its taint.
var labels = []acl.Label{acl.Public, acl.Internal, acl.Confidential}

const (
	taint = acl.Internal
	word  = "heliotrope" // every value holds it, so that every search finds it
)

// world is a set of agents and stores that no other world of the matrix has,
// filled, with the caller in one relation to a store. Worlds lie side by side
// in one database, so that each is also a stranger's to all others.
type world struct {
	t      testing.TB
	number int
	Surface
	relation
}

// Do implements Surface: within a world the matrix speaks of plain names.
func (w *world) Do(p acl.Principal, op Operation) Outcome {
	for _, name := range []*string{&p.Agent, &p.User, &op.Store, &op.Other} {
		if *name != "" {
			*name += fmt.Sprintf("@%d", w.number)
		}
	}
	return w.Surface.Do(p, op)
}

// Is tells whether an id that a Surface was given is the matrix's plain name.
func Is(id, name string) bool {
	plain, _, _ := strings.Cut(id, "@")
	return plain == name
}

func relations() []relation {
	grant := func(level acl.Level, ttl time.Duration) func(*world) {
		return func(w *world) {
			w.must(principal("owner"), Operation{Name: Share, Store: "owner", Other: "caller", Level: level, TTL: ttl, MaxLabel: acl.Restricted})
		}
	}
	platform := principal("platform")
	platform.Platform = true
	return []relation{
		{name: "own store", store: "owner", level: acl.ReadWrite, self: true},
		{name: "search grant", store: "owner", level: acl.Search, arrange: grant(acl.Search, 0)},
		{name: "read grant", store: "owner", level: acl.Read, arrange: grant(acl.Read, 0)},
		{name: "readwrite grant", store: "owner", level: acl.ReadWrite, arrange: grant(acl.ReadWrite, 0)},
		{name: "expired grant", store: "owner", arrange: func(w *world) {
			grant(acl.ReadWrite, time.Minute)(w)
			w.Pass(time.Hour)
		}},
		{name: "grant whose maker lost access", store: "chat-1", arrange: func(w *world) {
			w.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "maker"})
			w.must(principal("maker"), Operation{Name: Share, Store: "chat-1", Other: "caller", Level: acl.ReadWrite})
			w.must(platform, Operation{Name: LeaveChat, Store: "chat-1", Other: "maker"})
		}},
		{name: "participant", store: "chat-1", level: acl.ReadWrite, arrange: func(w *world) {
			w.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "caller"})
		}},
		{name: "former participant", store: "chat-1", arrange: func(w *world) {
			w.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "caller"})
			w.must(platform, Operation{Name: LeaveChat, Store: "chat-1", Other: "caller"})
		}},
		{name: "agent in a session of the user", store: "user-1", level: acl.ReadWrite, arrange: func(w *world) {
			w.must(platform, Operation{Name: JoinUser, Store: "user-1", Other: "caller"})
		}},
		{name: "agent that serves two users, on the other's store", store: "user-1", user: "user-2", arrange: func(w *world) {
			w.must(platform, Operation{Name: JoinUser, Store: "user-1", Other: "caller"})
			w.must(platform, Operation{Name: JoinUser, Store: "user-2", Other: "caller"})
		}},
		{name: "stranger", store: "owner"},
		{name: "platform token", store: "owner"},
		{name: "store that does not exist", store: "nowhere"},
	}
}

// caller is the one who tries.
func (r relation) caller() acl.Principal {
	p := acl.Principal{Agent: "caller", Taint: taint, User: r.user}
	if r.self {
		p.Agent = r.store
	}
	p.Platform = r.name == "platform token"
	return p
}

// Run tries every operation in every relation.
func Run(t *testing.T, surface Surface) {
	number := 0
	for _, r := range relations() {
		t.Run(r.name, func(t *testing.T) {
			worlds := make(map[string]*world)
			for _, c := range cases(r) {
				if !surface.Offers(c.op.Name) {
					continue
				}
				w := worlds[c.world]
				if w == nil {
					number++
					w = newWorld(t, number, r, surface)
					worlds[c.world] = w
				}
				t.Run(c.name, func(t *testing.T) {
					if c.before != nil {
						c.before(w)
					}
					c.check(t, w.Do(r.caller(), c.op))
				})
			}
		})
	}
}

func newWorld(t testing.TB, number int, r relation, surface Surface) *world {
	w := &world{t: t, number: number, Surface: surface, relation: r}
	w.fill()
	if r.arrange != nil {
		r.arrange(w)
	}
	return w
}

// fill writes, in the store that is tried, an entry of every label and kind,
// twice, so that each has a history.
func (w *world) fill() {
	platform := principal("platform")
	platform.Platform = true
	w.must(platform, Operation{Name: JoinChat, Store: "chat-1", Other: "resident"})
	w.must(platform, Operation{Name: JoinUser, Store: "user-1", Other: "resident"})
	for store, writer := range map[string]string{"owner": "owner", "chat-1": "resident", "user-1": "resident"} {
		if store != w.store {
			continue
		}
		for _, label := range labels {
			for _, k := range kinds {
				p := acl.Principal{Agent: writer, Taint: label}
				op := Operation{Name: Put, Store: store, Key: keyOf(label, k)}
				no, yes := false, true
				if k == internal {
					op.InContext = &no
				}
				if k == encrypted {
					op.Encrypted = &yes
				}
				for _, text := range []string{"first " + word, valueOf(label, k)} {
					op.Value = text
					w.must(p, op)
				}
			}
		}
	}
}

func (w *world) must(p acl.Principal, op Operation) {
	w.t.Helper()
	if got := w.Do(p, op); got.Status/100 != 2 {
		w.t.Fatalf("arranging %s of %s on %s: status %d", op.Name, p.Agent, op.Store, got.Status)
	}
}

func principal(agent string) acl.Principal {
	return acl.Principal{Agent: agent, Taint: acl.Restricted}
}

func keyOf(label acl.Label, k kind) string   { return fmt.Sprintf("%s/%s", label, k) }
func valueOf(label acl.Label, k kind) string { return fmt.Sprintf("%s %s of %s", word, k, label) }

// listed are the keys that a list shows at the caller's taint.
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
