package memory_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// One name in two Unicode forms: as most keyboards type it, and as in macOS file names.
const (
	composed   = "caf\u00e9"
	decomposed = "cafe\u0301"
)

// atForm returns a path for an entry of the tests. Its namespace and key contain form, a name
// in one of the forms.
func atForm(form string) memory.Path {
	return memory.Path{Store: "a", Namespace: "at " + form, Key: form + "/" + form}
}

func TestEveryUnicodeFormOfANameIsTheSameName(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		kept := atForm(composed)
		for _, c := range []struct{ write, read string }{{composed, decomposed}, {decomposed, composed}, {decomposed, decomposed}} {
			written, err := h.Put(background, a, memory.PutRequest{Path: atForm(c.write), Value: text("one"), Tags: &[]string{"plain", c.write}})
			must(h, err)
			if written.Path != kept || !written.Created || !slices.Equal(written.Tags, []string{"plain", composed}) {
				t.Errorf("written as %+v with the tags %+q", written.Path, written.Tags)
			}
			h.reachedBy(a, c.read)
			must(h, h.Delete(background, a, atForm(c.read), memory.Preconditions{}))
			restored, err := h.Restore(background, a, memory.RestoreRequest{Path: atForm(c.write)})
			must(h, err)
			if restored.Path != kept {
				t.Errorf("restored as %+v", restored.Path)
			}
			moved, err := h.Rename(background, a, memory.RenameRequest{Path: atForm(c.read), To: "to " + c.read})
			must(h, err)
			if want := (memory.Path{Store: "a", Namespace: kept.Namespace, Key: "to " + composed}); moved.Path != want {
				t.Errorf("moved to %+v", moved.Path)
			}
			must(h, h.Delete(background, a, moved.Path, memory.Preconditions{}))
		}
	})
}

// reachedBy checks that the entry at atForm(composed) is found by each way to read, if its
// names are given in another form.
func (h *harness) reachedBy(a memory.Caller, form string) {
	h.t.Helper()
	at := atForm(form)
	if _, err := h.Get(background, a, at); err != nil {
		h.t.Errorf("get: %v", err)
	}
	if v, err := h.Versions(background, a, at, 10, ""); err != nil || len(v.Items) != 1 {
		h.t.Errorf("versions: %v", err)
	}
	same, err := h.PutAll(background, a, []memory.PutRequest{{Path: at, Value: text("one"), Tags: &[]string{"plain", form}}})
	if err != nil || same[0].Err != nil || !same[0].Unchanged {
		h.t.Errorf("an import of the same: %+v, %v", same, err)
	}
	batch := memory.BatchRequest{Store: "a", Items: []memory.BatchItem{{Op: memory.BatchGet, PutRequest: memory.PutRequest{Path: at}}}}
	if found, err := h.Batch(background, a, batch); err != nil || found[0].Err != nil || batch.Items[0].Path != at {
		h.t.Errorf("batch: %+v, %v", found, err)
	}
	filters := map[string]memory.Filter{
		"namespace": {Namespace: &at.Namespace},
		"tags":      {Tags: []string{form}},
	}
	for name, field := range map[string]string{
		"eq": `{"key": {"eq": %q}}`, "prefix": `{"key": {"prefix": %q}}`, "in": `{"key": {"in": ["x", %q]}}`, "contains": `{"key": {"contains": %q}}`,
	} {
		condition, err := memory.ParseWhere(fmt.Appendf(nil, field, at.Key))
		must(h, err)
		filters["where key "+name] = memory.Filter{Where: condition}
	}
	for field, operand := range map[string]string{"namespace": at.Namespace, "tags": form} {
		operator := map[string]string{"namespace": "eq", "tags": "contains"}[field]
		condition, err := memory.ParseWhere(fmt.Appendf(nil, `{%q: {%q: %q}}`, field, operator, operand))
		must(h, err)
		filters["where "+field] = memory.Filter{Where: condition}
	}
	for name, filter := range filters {
		page, err := h.List(background, a, memory.ListRequest{Store: "a", Filter: filter, Prefix: form + "/", Limit: 10})
		if err != nil || len(page.Items) != 1 {
			h.t.Errorf("list by %s: %d, %v", name, len(page.Items), err)
		}
		exported := 0
		err = h.Export(background, a, "a", filter, func(memory.Found) error { exported++; return nil })
		if err != nil || exported != 1 {
			h.t.Errorf("export by %s: %d, %v", name, exported, err)
		}
		answer := h.MustSearch(a, search.Request{Query: "one", Filter: filter, Mode: search.ModeLexical, ExplainEntry: &at})
		if len(answer.Hits) != 1 || answer.Explanation.Entry == nil || answer.Explanation.Entry.Outcome != search.OutcomeHit {
			h.t.Errorf("search by %s: %d hits, explained as %+v", name, len(answer.Hits), answer.Explanation.Entry)
		}
	}
}

// A cursor stays valid if the next page is requested by the same name in another form.
func TestCursorsHoldForEveryForm(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	a := agent("a", acl.Public)
	for i := range 3 {
		h.PutText(a, "a", fmt.Sprintf("%s/%d", composed, i), "one", 201, func(r *memory.PutRequest) { r.Path.Namespace = composed })
	}
	first, second := composed, decomposed
	page, err := h.List(background, a, memory.ListRequest{Store: "a", Filter: memory.Filter{Namespace: &first}, Prefix: first, Limit: 2})
	must(h, err)
	next, err := h.List(background, a, memory.ListRequest{Store: "a", Filter: memory.Filter{Namespace: &second}, Prefix: second, Limit: 2, Cursor: page.Next})
	if err != nil || len(page.Items) != 2 || len(next.Items) != 1 {
		t.Errorf("%d and %d entries, %v", len(page.Items), len(next.Items), err)
	}
	found := h.MustSearch(a, search.Request{Query: "one", Filter: memory.Filter{Namespace: &first}, Limit: 2})
	values := found.Values()
	must(h, values.Each(background, func(*search.Hit) error { return nil }))
	cursor, err := values.Next(0)
	must(h, err)
	rest := h.MustSearch(a, search.Request{Query: "one", Filter: memory.Filter{Namespace: &second}, Limit: 2, Cursor: cursor})
	if len(found.Hits) != 2 || len(rest.Hits) != 1 {
		t.Errorf("%d and %d hits", len(found.Hits), len(rest.Hits))
	}
}

func TestTreesTakeEveryForm(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	a := agent("a", acl.Public)
	h.PutText(a, "a", composed+"/1", "one", 201)
	h.PutText(a, "a", decomposed+"/2", "two", 201)
	if n, err := h.RenameTree(background, a, memory.Tree{Store: "a", Folder: decomposed}, "", "to/"+decomposed); err != nil || n != 2 {
		t.Errorf("renamed %d, %v", n, err)
	}
	h.WantText(a, "a", "to/"+composed+"/2", "two")
	if n, err := h.DeleteTree(background, a, memory.Tree{Store: "a", Folder: "to/" + decomposed}); err != nil || n != 2 {
		t.Errorf("deleted %d, %v", n, err)
	}
}

// Names of the maximum length, of single-byte and of multi-byte characters, work in every
// operation; a name with one byte more is refused.
func TestTheLongestNamesWork(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for _, letter := range []string{"n", "é", "名", "🌳"} {
			longest := func(most int) string {
				return strings.Repeat("x", most%len(letter)) + strings.Repeat(letter, most/len(letter))
			}
			p := memory.Path{Store: "a", Namespace: longest(memory.MaxNamespace), Key: longest(memory.MaxKey)}
			for _, path := range []memory.Path{p, {Store: "a", Namespace: norm.NFD.String(p.Namespace), Key: norm.NFD.String(p.Key)}} {
				_, err := h.Put(background, a, memory.PutRequest{Path: path, Value: text("long names")})
				must(h, err)
				found, err := h.Get(background, a, path)
				if err != nil || found.Path != p {
					t.Errorf("%s: got %+v, %v", letter, found.Path, err)
				}
				answer := h.MustSearch(a, search.Request{Query: "long names", Filter: memory.Filter{Namespace: &path.Namespace}, ExplainEntry: &path})
				if len(answer.Hits) != 1 || answer.Hits[0].Path != p {
					t.Errorf("%s: %d hits", letter, len(answer.Hits))
				}
			}
			if moved, err := h.Rename(background, a, memory.RenameRequest{Path: p, To: "short"}); err != nil || moved.Namespace != p.Namespace {
				t.Errorf("%s: renamed to %+v, %v", letter, moved.Path, err)
			}
			for _, long := range []memory.Path{{Store: "a", Namespace: p.Namespace + "x", Key: "k"}, {Store: "a", Key: p.Key + "x"}} {
				_, err := h.Put(background, a, memory.PutRequest{Path: long, Value: text("x")})
				h.WantStatus(err, 422)
			}
		}
	})
}

// writeOfBefore writes entries without the rules of the service, as an earlier version of mneme
// would have: one without normalization, or with an earlier Unicode version.
func writeOfBefore(t *testing.T, data *backendtest.Data, entries ...memory.Entry) {
	t.Helper()
	err := data.Storage(t).Update(background, func(tx memory.Tx) error {
		for _, e := range entries {
			doc := lexical.Document{}
			if e.Searchable() && e.DeletedAt.IsZero() {
				doc = lexical.Analyze(e.Texts()...)
			}
			if err := tx.Put(background, e, doc); err != nil {
				return err
			}
		}
		return tx.SetMeta(background, "names", []byte("1.0.0"))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// entryOfBefore returns the first version of an entry of the store a whose value is a text.
func entryOfBefore(namespace, key, says string, change ...func(*memory.Entry)) memory.Entry {
	at := backendtest.NewClock().Now()
	e := memory.Entry{
		ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: "a", Namespace: namespace, Key: key}, Owner: "a", Label: acl.Public,
		Value: text(says), InContext: true, Version: 1, Revision: 1, CreatedAt: at, UpdatedAt: at, UpdatedBy: "a", TypeBy: "a", DescriptionBy: "a",
	}
	for _, set := range change {
		set(&e)
	}
	return e
}

// A database with names in other forms opens without loss: neither of entries whose names
// become equal, nor of entries in the trash.
func TestNamesOfAnEarlierDatabaseAreNormalized(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		long := strings.Repeat("\u0958", memory.MaxKey/6) // each has twice the bytes in NFC
		writeOfBefore(t, data,
			entryOfBefore("", "plain", "one"),
			entryOfBefore("", composed, "two"),
			entryOfBefore("", decomposed, "three"),
			entryOfBefore("", composed+"~2", "four"),
			entryOfBefore("ns "+decomposed, "k", "five"),
			entryOfBefore("", "o\u0308", "six", func(e *memory.Entry) { e.InContext = false }),
			entryOfBefore("", "u\u0308", "seven", func(e *memory.Entry) { e.Encrypted = true }),
			entryOfBefore("", "a\u0308", "eight", func(e *memory.Entry) { e.DeletedAt, e.DeletedBy, e.Revision = e.CreatedAt, "a", 1 }),
			entryOfBefore("", long+"x", "nine"),
			entryOfBefore("", strings.Repeat("\u0958", memory.MaxKey/3), "ten"), // too long in NFC
		)
		clock := backendtest.NewClock()
		h := openOver(t, data, memory.Options{Now: clock.Now}, encoder(t))
		a := agent("a", acl.Public)
		want := map[string]string{
			"/plain": "one", "/" + composed: "two", "/" + composed + "~2": "four", "/" + composed + "~3": "three", "ns " + composed + "/k": "five", "/ü": "seven",
			"/" + norm.NFC.String(long) + "x": "nine",
		}
		got := make(map[string]string)
		must(h, h.Export(background, a, "a", memory.Filter{}, func(f memory.Found) error {
			if memory.CheckPath(f.Path) != nil {
				t.Errorf("%+q is not a valid path", f.Path)
			}
			got[f.Namespace+"/"+f.Key] = strings.Trim(string(f.Value), `"`)
			return nil
		}))
		cut := slices.IndexFunc(slices.Collect(maps.Values(got)), func(says string) bool { return says == "ten" })
		maps.DeleteFunc(got, func(_, says string) bool { return says == "ten" })
		if !maps.Equal(got, want) || cut < 0 {
			t.Errorf("got %+q, want %+q", got, want)
		}
		h.WantText(a, "a", "o\u0308", "six") // not in context: no list contains it
		h.WantText(a, "a", "ö", "six")
		if _, err := h.Restore(background, a, memory.RestoreRequest{Path: path("a", "ä")}); err != nil {
			t.Errorf("restore from the trash: %v", err)
		}
		h.WantText(a, "a", "a\u0308", "eight")
		h.Index()
		for _, word := range []string{"one", "two", "three", "four", "five", "nine", "ten"} {
			if answer := h.MustSearch(a, search.Request{Query: word, Mode: search.ModeLexical, NoTypos: true}); len(answer.Hits) != 1 {
				t.Errorf("%s finds %d entries", word, len(answer.Hits))
			}
		}
		again := openOver(t, data, memory.Options{Now: clock.Now}, encoder(t))
		again.WantText(a, "a", composed+"~3", "three")
	})
}

// SECURITY: the normalized name of an entry reveals nothing about an entry that its reader
// cannot see, because of a higher label or because it is not in context.
func TestNormalizedNamesDoNotRevealHiddenEntries(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		hidden := func(label acl.Label, owner string, inContext bool) func(*memory.Entry) {
			return func(e *memory.Entry) { e.Label, e.Owner, e.UpdatedBy, e.InContext = label, owner, owner, inContext }
		}
		writeOfBefore(t, data,
			entryOfBefore("", composed, "secret", hidden(acl.Confidential, "a", true)),
			entryOfBefore("", composed, "private", hidden(acl.Public, "b", false)),
			entryOfBefore("", decomposed, "open"),
		)
		h := openOver(t, data, memory.Options{}, encoder(t))
		h.WantText(agent("a", acl.Public), "a", composed, "open")
		h.WantText(agent("a", acl.Confidential), "a", composed, "secret")
	})
}

func TestNamesOfAnEarlierDumpAreNormalized(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		before := openOver(t, data, memory.Options{}, encoder(t))
		writeOfBefore(t, data, entryOfBefore("", composed, "one"), entryOfBefore("", decomposed, "two"))
		var dump bytes.Buffer
		must(before, before.Dump(background, &dump))
		h := openOver(t, b.Open(t), memory.Options{Now: backendtest.NewClock().Now}, encoder(t))
		_, err := h.LoadDump(background, &dump, nil)
		must(h, err)
		a := agent("a", acl.Public)
		h.WantText(a, "a", decomposed, "one")
		h.WantText(a, "a", composed+"~2", "two")
	})
}

// Followers of a store learn that an entry has left its former path.
func TestChangesShowNormalizedNames(t *testing.T) {
	data := backendtest.Embedded().Open(t)
	before := openOver(t, data, memory.Options{}, encoder(t))
	a := agent("a", acl.Public)
	start, err := before.Changes(context.Background(), a, memory.ChangesRequest{Store: "a", Limit: 10})
	must(before, err)
	writeOfBefore(t, data, entryOfBefore("", decomposed, "one", func(e *memory.Entry) { e.CreatedAt = time.Now().UTC().Truncate(time.Microsecond) }))
	after := openOver(t, data, memory.Options{}, encoder(t))
	page, err := after.Changes(context.Background(), a, memory.ChangesRequest{Store: "a", Limit: 10, Since: start.Next})
	must(after, err)
	got := make(map[string]int)
	for _, c := range page.Changes {
		got[c.Key] = c.Version
	}
	if want := map[string]int{decomposed: 0, composed: 1}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzNormalName(f *testing.F) {
	for _, seed := range []string{"a", composed, decomposed, "e\u0323\u0301", "\u1100\u1161\u11a8", "\u0958", "\xff\u0301", "/\u0338", strings.Repeat("\u0301", 40)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		normal := memory.NormalName(name)
		if again := memory.NormalName(normal); again != normal {
			t.Errorf("%+q becomes %+q and then %+q", name, normal, again)
		}
		if len(normal) > 3*len(name)+2 {
			t.Errorf("%+q grows to %+q", name, normal)
		}
		if memory.CheckNamespace(name) == nil && normal != name {
			t.Errorf("%+q is a namespace, and becomes %+q", name, normal)
		}
		if err := memory.CheckKey(normal); err != nil && strings.Contains(err.Error(), "normalization") {
			t.Errorf("%+q is not in form: %v", normal, err)
		}
	})
}
