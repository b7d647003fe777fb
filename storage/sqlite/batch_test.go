package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/lexical"
	"mneme/memory"
	"mneme/test/wait"
)

// inOneTransaction runs functions of UpdateBatched in one transaction, in order, and returns
// their errors, or that one panicked.
func inOneTransaction(t *testing.T, s *Storage, fns ...func(*writeTx) error) []error {
	t.Helper()
	s.batches.bound = wait.Limit
	errs := make([]error, len(fns))
	begun, ended := make(chan struct{}), make(chan int)
	waiting := func() int {
		s.batches.mu.Lock()
		defer s.batches.mu.Unlock()
		return len(s.batches.waiting)
	}
	for i, fn := range fns {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panic: %v", p)
				}
				ended <- i
			}()
			errs[i] = s.UpdateBatched(t.Context(), func(tx memory.Tx) error {
				if i == 0 {
					close(begun)
					for deadline := time.Now().Add(wait.Limit); waiting() < len(fns)-1; time.Sleep(time.Millisecond) {
						if time.Now().After(deadline) {
							return errors.New("the others do not wait")
						}
					}
				}
				return fn(tx.(*writeTx))
			})
		}()
		if i == 0 {
			<-begun
			continue
		}
		for i < len(fns)-1 && waiting() < i { // the functions run in order
			time.Sleep(time.Millisecond)
		}
	}
	for range fns {
		<-ended
	}
	return errs
}

func setMeta(name string) func(*writeTx) error {
	return func(w *writeTx) error { return w.SetMeta(context.Background(), name, []byte("set")) }
}

// wantMeta checks which settings were set.
func wantMeta(t *testing.T, s *Storage, want map[string]bool) {
	t.Helper()
	err := s.View(t.Context(), func(tx memory.ReadTx) error {
		for name, set := range want {
			value, err := tx.Meta(t.Context(), name)
			if err != nil {
				return err
			}
			if (value != nil) != set {
				t.Errorf("%s: set is %t", name, value != nil)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// dataVersion returns a number that grows with each commit of another connection.
func dataVersion(t *testing.T, s *Storage) (version int64) {
	t.Helper()
	err := s.view(t.Context(), func(r *readTx) error {
		return r.session.conn.QueryRowContext(t.Context(), "PRAGMA data_version").Scan(&version)
	})
	if err != nil {
		t.Fatal(err)
	}
	return version
}

func TestCallersThatWaitShareATransaction(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	errStop := errors.New("stop")
	before := dataVersion(t, s)
	errs := inOneTransaction(t, s, setMeta("first"), setMeta("second"), func(w *writeTx) error {
		return errors.Join(setMeta("undone")(w), errStop)
	}, func(w *writeTx) error {
		if value, err := w.Meta(t.Context(), "undone"); value != nil || err != nil {
			return fmt.Errorf("what another rolled back is %q: %w", value, err)
		}
		return setMeta("last")(w)
	})
	if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], errStop) || errs[3] != nil {
		t.Errorf("errors are %v", errs)
	}
	wantMeta(t, s, map[string]bool{"first": true, "second": true, "undone": false, "last": true})
	if n := dataVersion(t, s) - before; n != 1 {
		t.Errorf("%d transactions have committed", n)
	}
}

// Each member sees the writes of those before it, although the index is written only at the
// end, or when a member searches.
func TestTheIndexOfASharedTransactionIsWrittenOnce(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	write := func(key string) func(*writeTx) error {
		return func(w *writeTx) error { return w.Put(t.Context(), newEntry(key, "words"), lexical.Analyze("words")) }
	}
	count := func(w *writeTx, what string, want int) error {
		var n int
		if _, err := w.one(t.Context(), []any{&n}, "SELECT "+what); err != nil || n != want {
			return errors.Join(fmt.Errorf("%s is %d, want %d", what, n, want), err)
		}
		return nil
	}
	const blocks, documents = "count(*) FROM posting", "coalesce(sum(documents), 0) FROM total"
	words := fmt.Sprintf(`count(*) FROM word WHERE word MATCH '"%s"'`, lexical.FormKeys(1, acl.Public, lexical.Analyze("words").Forms[:1]))
	found := func(w *writeTx, want int) error {
		hits, _, err := w.Lexical(t.Context(), acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}),
			memory.LexicalQuery{Terms: lexical.ParseQuery("words"), Limit: 9, Now: noon})
		if err != nil || len(hits) != want {
			return errors.Join(fmt.Errorf("found %d entries, want %d", len(hits), want), err)
		}
		return errors.Join(count(w, documents, want), count(w, blocks, 1), count(w, words, want))
	}
	errStop := errors.New("stop")
	errs := inOneTransaction(t, s, write("first"), func(w *writeTx) error {
		return errors.Join(write("second")(w), count(w, blocks, 0), count(w, words, 0))
	}, func(w *writeTx) error {
		return errors.Join(write("undone")(w), found(w, 3), errStop)
	}, func(w *writeTx) error {
		return errors.Join(count(w, blocks, 0), count(w, words, 0), write("third")(w), found(w, 3), write("fourth")(w))
	}, write("last"))
	if err := errors.Join(errs[0], errs[1], errs[3], errs[4]); err != nil || errs[2].Error() != errStop.Error() {
		t.Errorf("errors are %v", errs)
	}
	must(t, s.update(t.Context(), func(w *writeTx) error { return found(w, 5) }))
}

func TestALeaderThatFailsTakesNobodyWithIt(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	errStop := errors.New("stop")
	errs := inOneTransaction(t, s, func(w *writeTx) error { return errors.Join(setMeta("first")(w), errStop) }, setMeta("second"), setMeta("third"))
	if !errors.Is(errs[0], errStop) || errs[1] != nil || errs[2] != nil {
		t.Errorf("errors are %v", errs)
	}
	wantMeta(t, s, map[string]bool{"first": false, "second": true, "third": true})
}

// After some errors, such as that of a full disk, SQLite rolls back the whole transaction.
func TestALostTransactionFailsForAllMembers(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	errFull := fmt.Errorf("%w: the disk is full", memory.ErrUnavailable)
	errs := inOneTransaction(t, s, setMeta("first"), setMeta("second"), func(w *writeTx) error {
		_, err := w.session.exec("ROLLBACK")
		return errors.Join(err, errFull)
	}, setMeta("later"))
	for i, err := range errs[:3] {
		if !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("error %d is %v", i, err)
		}
	}
	if errs[3] != nil { // the last function ran in the next transaction
		t.Errorf("the next transaction has failed: %v", errs[3])
	}
	wantMeta(t, s, map[string]bool{"first": false, "second": false, "later": true})
}

func TestMembersOfALeaderThatPanicsAtTheCommitFail(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	var statements map[string]*sql.Stmt
	errs := inOneTransaction(t, s, func(w *writeTx) error {
		statements = w.session.statements
		statements["COMMIT"] = nil
		return setMeta("first")(w)
	}, setMeta("second"))
	delete(statements, "COMMIT")
	if errs[0] == nil || !errors.Is(errs[1], memory.ErrUnavailable) {
		t.Errorf("errors are %v", errs)
	}
	wantMeta(t, s, map[string]bool{"first": false, "second": false})
}

func TestAMemberCancelledAtItsTurnPassesItOn(t *testing.T) {
	var q batchQueue
	if lead, err := q.enter(t.Context()); lead != nil || err != nil {
		t.Fatalf("the first caller got %v and %v", lead, err)
	}
	gone := &member{turn: make(chan *shared, 1)}
	next := &member{turn: make(chan *shared, 1)}
	q.waiting = []*member{gone, next}
	q.leave() // gone becomes the leader
	q.cancel(gone)
	if lead := <-next.turn; lead != nil {
		t.Errorf("the next got %v", lead)
	}
	joining := &shared{back: make(chan struct{}, 1)}
	late := &member{turn: make(chan *shared, 1)}
	late.turn <- joining // its turn has come, so it is not in the queue any more
	q.cancel(late)
	<-joining.back
}
