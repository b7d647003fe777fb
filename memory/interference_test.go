package memory_test

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/memory"
)

// Hidden entries must change nothing in what a caller is answered. Two
// services get the same entries that the caller may see, in the same order
// and at the same times; one of them also gets entries that it may not see.
// Every answer must be the same to the byte, ids and entity tags aside, which
// are random.

// The texts are few and alike, so that hidden entries would compete for the
// same ranks, change the same counts and stand at the same paths.
var (
	subjects = []string{"the cat", "a neighbour", "the night train", "our garden", "the old bridge", "a letter"}
	actions  = []string{"sleeps by the window", "was painted green", "arrives after midnight", "needs water", "smells of rain"}
)

func drawText(t *rapid.T, label string) string {
	return rapid.SampledFrom(subjects).Draw(t, label+" subject") + " " + rapid.SampledFrom(actions).Draw(t, label+" action")
}

// step is one write to one or both of the services.
type step struct {
	hidden bool
	write  func(h *harness)
}

func TestHiddenEntriesChangeNothingInAnswers(t *testing.T) {
	// Where a check takes seconds, a part of them must do.
	part := map[string]int{"sqlite+flat": 1, "postgres+flat": 5, "postgres+milvus": 12}
	for _, b := range backendtest.Backends() {
		t.Run(b.Name, func(t *testing.T) {
			checkFewer(t, part[b.Name])
			checkInterference(t, b.Exact())
		})
	}
}

// checkFewer divides the number of rapid's checks until the test ends.
func checkFewer(t *testing.T, by int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	n, err := strconv.Atoi(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := checks.Set(strconv.Itoa(max(1, n/by))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Set(before) }) // it was taken before
}

func checkInterference(t *testing.T, b backendtest.Backend) {
	reader := agent("reader", acl.Internal)
	rapid.Check(t, func(rt *rapid.T) {
		with, without := open(t, b, memory.Limits{}), open(t, b, memory.Limits{})
		both := []*harness{with, without}
		for _, h := range both {
			arrange(h)
		}
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 25).Draw(rt, "steps")
		for _, s := range steps {
			for _, h := range both {
				h.Clock.Advance(time.Second)
				if s.hidden && h == without {
					continue
				}
				s.write(h)
			}
		}
		for _, h := range both {
			h.Index()
		}
		crowd := rapid.SampledFrom([]int{0, 0, 0, 300}).Draw(rt, "crowd")
		vanish(with, crowd)
		for _, h := range both {
			h.Clock.Advance(time.Hour) // short-lived entries are past their time, and nothing has swept them
		}
		for i := range 3 {
			question := drawText(rt, fmt.Sprint("question ", i))
			a, b := answers(with, reader, question), answers(without, reader, question)
			if a != b {
				rt.Fatalf("hidden entries changed the answers to %q:\n%s", question, difference(a, b))
			}
		}
	})
}

// difference shows the lines that only one of two texts has.
func difference(with, without string) string {
	var out strings.Builder
	a, b := strings.Split(with, "\n"), strings.Split(without, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			if i < len(a) {
				fmt.Fprintln(&out, "with:   ", a[i])
			}
			if i < len(b) {
				fmt.Fprintln(&out, "without:", b[i])
			}
		}
	}
	return out.String()
}

// arrange gives the reader a chat, a granted store up to PUBLIC, and a store
// that it may only search.
func arrange(h *harness) {
	ctx := context.Background()
	platform := caller(acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true})
	for _, member := range []string{"reader", "other"} {
		must(h, h.PutParticipant(ctx, platform, "room", member, nil))
	}
	_, err := h.Share(ctx, agent("lender", acl.Restricted), memory.ShareRequest{Store: "lender", Grantee: "reader", Level: acl.Read, MaxLabel: acl.Public})
	must(h, err)
	_, err = h.Share(ctx, agent("seller", acl.Restricted), memory.ShareRequest{Store: "seller", Grantee: "reader", Level: acl.Search})
	must(h, err)
}

func must(h *harness, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// drawStep makes a write that the reader may see, or one of each sort that it
// may not.
func drawStep(t *rapid.T) step {
	value := drawText(t, "value")
	key := rapid.SampledFrom([]string{"a", "b", "c", "d/e"}).Draw(t, "key")
	put := func(who memory.Caller, store string, change func(*memory.PutRequest)) func(*harness) {
		return func(h *harness) {
			r := memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: text(value)}
			if change != nil {
				change(&r)
			}
			_, err := h.Put(context.Background(), who, r)
			if status(err) != 409 { // a fixed property of an entry that stands there already
				must(h, err)
			}
		}
	}
	no, yes, minute := false, true, time.Minute
	switch rapid.SampledFrom([]string{"own", "own public", "room", "lent", "sold",
		"own higher", "room higher", "lent above the grant", "sold higher", "another's store", "another's private", "brief", "deleted"}).Draw(t, "sort") {
	case "own":
		return step{false, put(agent("reader", acl.Internal), "reader", nil)}
	case "own public":
		return step{false, put(agent("reader", acl.Public), "reader", nil)}
	case "room":
		return step{false, put(agent("other", acl.Public), "room", nil)}
	case "lent":
		return step{false, put(agent("lender", acl.Public), "lender", nil)}
	case "sold":
		return step{false, put(agent("seller", acl.Internal), "seller", nil)}
	case "own higher":
		return step{true, put(agent("reader", acl.Confidential), "reader", nil)}
	case "room higher":
		return step{true, put(agent("other", acl.Restricted), "room", nil)}
	case "lent above the grant":
		return step{true, put(agent("lender", acl.Internal), "lender", nil)}
	case "sold higher":
		return step{true, put(agent("seller", acl.Confidential), "seller", nil)}
	case "another's store":
		return step{true, put(agent("stranger", acl.Public), "stranger", nil)}
	case "another's private":
		key = "private/" + key
		return step{true, put(agent("other", acl.Public), "room", func(r *memory.PutRequest) { r.InContext = &no })}
	case "brief":
		key = "brief/" + key
		encrypted := rapid.Bool().Draw(t, "encrypted")
		return step{true, put(agent("reader", acl.Public), "reader", func(r *memory.PutRequest) {
			r.TTL = &minute
			if encrypted {
				r.Encrypted = &yes
			}
		})}
	default: // deleted, once the index has it: see vanish
		key = "vanish/" + key
		return step{true, put(agent("reader", acl.Public), "reader", nil)}
	}
}

// vanish fills the index of one service with entries and deletes them from
// the rows, so that the index still has them.
func vanish(h *harness, crowd int) {
	ctx, c := context.Background(), agent("reader", acl.Public)
	for i := range crowd {
		path := memory.Path{Store: "reader", Key: fmt.Sprint("vanish/crowd/", i)}
		_, err := h.Put(ctx, c, memory.PutRequest{Path: path, Value: text(subjects[i%len(subjects)] + " " + actions[i%len(actions)])})
		must(h, err)
	}
	h.Index()
	err := h.Export(ctx, c, "reader", func(f memory.Found) error {
		if !strings.HasPrefix(f.Key, "vanish/") {
			return nil
		}
		return h.Delete(ctx, c, f.Path, memory.Preconditions{})
	})
	must(h, err)
}

// answers are all that the reader can ask, as text, without ids and tags.
func answers(h *harness, c memory.Caller, question string) string {
	ctx := context.Background()
	var out strings.Builder
	show := func(e *memory.Entry) {
		fmt.Fprintf(&out, "  %s %s %s %s %s v%d %s %s %s\n", e.Store, e.Namespace, e.Key, e.Label, e.Owner, e.Version, e.UpdatedAt, e.UpdatedBy, e.Value)
	}
	for _, r := range []memory.SearchRequest{
		{Query: question, Limit: 10},
		{Query: question, Limit: 100, Stores: []string{"reader", "room"}, Explain: true},
		{Query: question, Limit: 5, Filter: memory.Filter{Tags: []string{"none"}}},
	} {
		a, err := h.Search(ctx, c, r)
		fmt.Fprintf(&out, "search %v %v %v %v\n", err, a.Label, a.Degraded, a.Incomplete)
		for i := range a.Hits {
			show(&a.Hits[i].Entry)
			fmt.Fprintf(&out, "    %x", a.Hits[i].Score)
			if x := a.Hits[i].Explain; x != nil {
				fmt.Fprintf(&out, " %v %v %s", x.Lexical, x.Vector, x.Via)
			}
			fmt.Fprintln(&out)
		}
	}
	for _, store := range []string{"reader", "room", "lender", "seller", "stranger", "nowhere"} {
		p, err := h.List(ctx, c, memory.ListRequest{Store: store, Limit: 100})
		fmt.Fprintf(&out, "list %s %v %v\n", store, err, p.Next != "")
		for i := range p.Items {
			show(&p.Items[i].Entry)
		}
		for _, key := range []string{"a", "b", "c", "d/e", "private/a", "brief/a", "vanish/a"} {
			f, err := h.Get(ctx, c, memory.Path{Store: store, Key: key})
			fmt.Fprintf(&out, "get %s %s %v\n", store, key, err)
			show(&f.Entry)
			v, err := h.Versions(ctx, c, memory.Path{Store: store, Key: key}, 10, "")
			fmt.Fprintf(&out, "versions %d %v\n", len(v.Items), err)
		}
	}
	return out.String()
}
