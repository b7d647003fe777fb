package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
)

// A database whose texts were analyzed by an earlier version is analyzed again when it opens,
// and entries that are now embedded from another text are embedded again.
func TestADatabaseOfAnEarlierAnalysisIsAnalyzedAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		before := openOver(t, data, memory.Options{}, encoder(t))
		a := agent("a", acl.Public)
		// The terms and forms are those of the earlier version, which used only the strings of
		// a JSON value.
		strings := map[string]string{"lock": "", "vet": "call the vet on +31 20 555 0147", "cat": "our cat data image png base64 Y2F0"}
		for key, value := range map[string]string{
			"lock": `{"bike_lock_code": 7719}`, "vet": `"Call the vet on +31 20 555 0147."`, "cat": `"Our cat: data:image/png;base64,Y2F0"`,
		} {
			_, err := before.Put(background, a, memory.PutRequest{Path: path("a", key), Value: json.RawMessage(value)})
			must(before, err)
		}
		before.Index()
		must(before, data.Storage(t).Update(background, func(tx memory.Tx) error {
			entries, err := tx.Searchable(background, uuid.Nil, 10)
			if err != nil {
				return err
			}
			for _, e := range entries {
				doc := lexical.Analyze(strings[e.Key], e.Key)
				doc.Terms = slices.DeleteFunc(doc.Terms, func(t lexical.Term) bool { return len(t.Text) > 8 })
				doc.Forms = slices.DeleteFunc(doc.Forms, func(form string) bool { return len(form) > 8 })
				if err := tx.PutDocument(background, e, doc, time.Time{}); err != nil {
					return err
				}
			}
			if err := tx.SetMeta(background, "analysis", []byte("1")); err != nil {
				return err
			}
			return tx.SetMeta(background, "forms", []byte("1"))
		}))
		find := func(h *harness, query string) []string {
			return keys(h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, NoTypos: true}))
		}
		if got := find(before, "7719"); len(got) > 0 {
			t.Fatalf("the earlier version finds %q", got)
		}
		if got := find(before, "Y2F0"); len(got) != 1 {
			t.Fatalf("the earlier version finds %q", got)
		}
		after := openOver(t, data, memory.Options{}, encoder(t))
		if got := find(after, "Y2F0"); len(got) > 0 {
			t.Errorf("a data URL finds %q", got)
		}
		for query, want := range map[string]string{"7719": "lock", "bike lock code": "lock", "+31205550147": "vet"} {
			if got := find(after, query); !slices.Equal(got, []string{want}) {
				t.Errorf("%s finds %q", query, got)
			}
		}
		match, err := memory.ParseMatch(json.RawMessage(`{"all": ["020 555 0147"]}`))
		must(after, err)
		page, err := after.List(background, a, memory.ListRequest{Store: "a", Limit: 10, Filter: memory.Filter{Match: match}})
		must(after, err)
		if len(page.Items) != 1 || page.Items[0].Key != "vet" {
			t.Errorf("%d entries match", len(page.Items))
		}
		after.Index()
		found := after.MustSearch(a, search.Request{Query: "what opens the bicycle?", Mode: search.ModeVector, Explain: true})
		if hit := found.Hits[0]; hit.Key != "lock" || hit.Explain.Vector == nil {
			t.Errorf("found %s by its vector", hit.Key)
		}
	})
}

// countedDocuments is a storage that runs every transaction twice, as after a conflict. It
// counts the documents of committed transactions. Unless written is nil, it calls written after
// each of these transactions.
type countedDocuments struct {
	storage.Storage
	documents int
	written   func()
}

type countedTx struct {
	memory.Tx
	documents *int
}

func (s *countedDocuments) Update(ctx context.Context, fn func(memory.Tx) error) error {
	undo := errors.New("undo")
	documents := 0
	run := func(tx memory.Tx) error {
		documents = 0
		return fn(countedTx{tx, &documents})
	}
	err := s.Storage.Update(ctx, func(tx memory.Tx) error { return errors.Join(run(tx), undo) })
	if errors.Is(err, undo) {
		err = s.Storage.Update(ctx, run)
	}
	if err != nil || documents == 0 {
		return err
	}
	if s.documents += documents; s.written != nil {
		s.written()
	}
	return nil
}

func (tx countedTx) PutDocument(ctx context.Context, entry memory.Entry, doc lexical.Document, queuedAt time.Time) error {
	*tx.documents++
	return tx.Tx.PutDocument(ctx, entry, doc, queuedAt)
}

// If an analysis takes longer, a supervisor may kill the process before it serves. The next
// process must continue where it stopped.
func TestAnInterruptedAnalysisResumes(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		const entries = 450 // of more than two transactions
		data := b.Open(t)
		h := openOver(t, data, memory.Options{})
		requests := make([]memory.PutRequest, entries)
		for i := range requests {
			requests[i] = memory.PutRequest{Path: path("a", fmt.Sprint(i)), Value: text("tea")}
		}
		outcomes, err := h.PutAll(background, agent("a", acl.Public), requests)
		must(h, err)
		for _, outcome := range outcomes {
			must(h, outcome.Err)
		}
		rows := &countedDocuments{Storage: data.Storage(t)}
		analyzedAs := func(version string) {
			t.Helper()
			rows.documents = 0
			must(h, rows.Update(background, func(tx memory.Tx) error { return tx.SetMeta(background, "analysis", []byte(version)) }))
		}
		start := func(ctx context.Context) error {
			_, err := memory.New(ctx, rows, memory.Options{})
			return err
		}
		analyzedAs("1")
		for range 2 { // each time after one transaction
			before := rows.documents
			ctx, kill := context.WithCancel(background)
			rows.written = kill
			if err := start(ctx); !errors.Is(err, context.Canceled) || rows.documents == before || rows.documents == entries {
				t.Fatalf("%d entries were analyzed: %v", rows.documents, err)
			}
		}
		rows.written = nil
		for range 2 { // in the second round there is nothing left to do
			must(h, start(background))
			if rows.documents != entries {
				t.Errorf("%d entries were analyzed, not %d", rows.documents, entries)
			}
		}
		// If another version has not finished its analysis, this one starts from the beginning.
		analyzedAs("1 1 " + uuid.Max.String())
		var steps []string
		must(h, start(memory.WithProgress(background, func(step string) { steps = append(steps, step) })))
		want := "analyzing its texts again, "
		if !slices.Equal(steps, []string{want + "200 of 450 entries", want + "400 of 450 entries", want + "450 of 450 entries"}) {
			t.Errorf("reported %q", steps)
		}
		if rows.documents != entries {
			t.Errorf("%d entries of another version were analyzed, not %d", rows.documents, entries)
		}
	})
}
