package memory_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/embed/e5"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlite"
	"mneme/vector"
	"mneme/vector/flat"
)

// crashVariable names the database of a process that the crash test starts
// and kills.
const crashVariable = "MNEME_CRASH_TEST_DATABASE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashVariable); path != "" {
		if err := writeUnderLoad(path, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	for name, value := range map[string]string{
		// A property test here writes two databases a check: a few checks a
		// run, other ones each time (rapid takes a fifth with -short).
		// -rapid.checks asks for more.
		"rapid.checks": "25",
		// Tests wait for servers more than they compute. -parallel says
		// otherwise.
		"test.parallel": "8",
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// crashKeys is how many keys the process writes to, over and over.
const crashKeys = 40

// writeUnderLoad writes, overwrites and deletes entries with the worker
// running, and prints what was acknowledged: "put KEY N" or "delete KEY N",
// before each as "try …". It never returns of itself.
func writeUnderLoad(path string, out io.Writer) error {
	ctx := context.Background()
	storage, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	e, err := e5.New(e5.Options{})
	if err != nil {
		return err
	}
	s, err := backendtest.NewProcess(ctx, storage, memory.Options{}, indexer.Model{
		Embedder: e, Local: true,
		Open: func(context.Context) (vector.Index, error) { return flat.New(e.Dim()), nil },
	})
	if err != nil {
		return err
	}
	go s.Run(ctx) //nolint:errcheck // ends with the process
	c := agent("writer", acl.Public)
	for n := time.Now().UnixNano(); ; n++ {
		key := strconv.Itoa(rand.IntN(crashKeys))
		p := memory.Path{Store: "writer", Key: key}
		verb := "put"
		if rand.IntN(4) == 0 {
			verb = "delete"
		}
		fmt.Fprintln(out, "try", verb, key, n)
		if verb == "put" {
			_, err = s.Put(ctx, c, memory.PutRequest{Path: p, Value: text(crashText(n))})
		} else if err = s.Delete(ctx, c, p, memory.Preconditions{}); status(err) == 404 {
			err = nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out, verb, key, n)
	}
}

// crashText is a memory that its own word finds.
func crashText(n int64) string { return "the number is " + crashWord(n) }

// crashWord writes a number in letters, so that it is one word to any
// analysis, with an ending that no stemmer takes away.
func crashWord(n int64) string {
	var letters []byte
	for ; n > 0; n /= 20 {
		letters = append(letters, "abcdefghijklmnopqrst"[n%20])
	}
	return "w" + string(letters) + "q"
}

// crashNumber reads crashWord back.
func crashNumber(word string) (n int64, ok bool) {
	if len(word) < 2 || word[0] != 'w' || word[len(word)-1] != 'q' {
		return 0, false
	}
	for i := len(word) - 2; i > 0; i-- {
		if word[i] < 'a' || word[i] > 't' {
			return 0, false
		}
		n = n*20 + int64(word[i]-'a')
	}
	return n, true
}

// acknowledged follows what the process printed: for each key the number that
// must stand there (0: none), and the one that was under way, which may.
type acknowledged struct {
	stands map[string]int64
	may    map[string]int64
}

func (a *acknowledged) read(line string) {
	f := strings.Fields(line)
	try := len(f) == 4 && f[0] == "try"
	if try {
		f = f[1:]
	}
	if len(f) != 3 {
		return // the line that the kill cut off
	}
	n, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return
	}
	if f[0] == "delete" {
		n = 0
	}
	if try {
		a.may[f[1]] = n
		return
	}
	a.stands[f[1]] = n
	delete(a.may, f[1])
}

func TestKillAtAnyMomentLosesNothingAndLeavesNoVectorOfADeletedEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	seen := acknowledged{stands: make(map[string]int64), may: make(map[string]int64)}
	for range rounds {
		runAndKill(t, path, &seen)
		compare(t, path, &seen)
	}
}

// runAndKill starts the process, lets it work for a random while once it has
// begun to write, and kills it.
func runAndKill(t *testing.T, path string, seen *acknowledged) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashVariable+"="+path)
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	var kill *time.Timer
	acks := 0
	for lines.Scan() {
		if kill == nil {
			kill = time.AfterFunc(time.Duration(rand.IntN(1500))*time.Millisecond, func() { cmd.Process.Kill() }) //nolint:errcheck // it may be gone
		}
		seen.read(lines.Text())
		acks++
	}
	cmd.Wait() //nolint:errcheck // it was killed
	if acks == 0 {
		t.Fatalf("the process wrote nothing: %s", stderr.String())
	}
}

// compare opens the database as a restarted process would, lets the queue run
// empty, and holds rows, terms and vectors against what was acknowledged.
func compare(t *testing.T, path string, seen *acknowledged) {
	t.Helper()
	ctx := context.Background()
	storage, err := sqlite.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	e := encoder(t)
	s, err := backendtest.NewProcess(ctx, storage, memory.Options{
		// Leases of the killed process must not hold the test up for minutes.
		Now: func() time.Time { return time.Now().Add(10 * time.Minute) },
	}, indexer.Model{
		Embedder: e, Local: true,
		Open: func(context.Context) (vector.Index, error) { return flat.New(e.Dim()), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drain(ctx, nil); err != nil {
		t.Fatal(err)
	}
	live := compareRows(t, s.Service, seen)
	compareTerms(t, storage, live)
	compareVectors(t, storage.ForIndexer(), e.Fingerprint(), live)
}

// compareRows checks every key and returns the entries that live.
func compareRows(t *testing.T, s *memory.Service, seen *acknowledged) map[uuid.UUID]memory.Entry {
	t.Helper()
	ctx, c := context.Background(), agent("writer", acl.Public)
	live := make(map[uuid.UUID]memory.Entry)
	for i := range crashKeys {
		key := strconv.Itoa(i)
		f, err := s.Get(ctx, c, memory.Path{Store: "writer", Key: key})
		must, known := seen.stands[key]
		may, under := seen.may[key]
		matches := func(n int64) bool {
			if n == 0 {
				return status(err) == 404
			}
			return err == nil && bytes.Equal(f.Value, text(crashText(n)))
		}
		if known && !matches(must) && !(under && matches(may)) {
			t.Fatalf("%s: an acknowledged write is lost (status %d)", key, status(err))
		}
		if !known && !under && err == nil {
			t.Fatalf("%s: nobody wrote it", key)
		}
		// What stands now is what the next rounds build upon.
		delete(seen.may, key)
		seen.stands[key] = 0
		if err == nil {
			live[f.ID] = f.Entry
			seen.stands[key] = numberIn(t, f.Entry)
		} else if status(err) != 404 {
			t.Fatal(err)
		}
	}
	return live
}

func numberIn(t *testing.T, e memory.Entry) int64 {
	t.Helper()
	_, word, _ := strings.Cut(strings.Trim(string(e.Value), `"`), "is ")
	n, ok := crashNumber(word)
	if !ok {
		t.Fatalf("%s holds something that nobody wrote", e.Key)
	}
	return n
}

// compareTerms checks that each living entry is found by its own word, and
// that a word which all share finds the living and nothing else.
func compareTerms(t *testing.T, storage memory.Storage, live map[uuid.UUID]memory.Entry) {
	t.Helper()
	ctx := context.Background()
	err := storage.View(ctx, func(tx memory.ReadTx) error {
		scope, err := acl.NewScope(ctx, tx, acl.Principal{Agent: "writer", Taint: acl.Public}, acl.ScopeRequest{}, time.Now())
		if err != nil {
			return err
		}
		ask := func(question string) ([]lexical.Hit, error) {
			return tx.Lexical(ctx, scope, memory.LexicalQuery{Terms: lexical.ParseQuery(question), Limit: 1000, Now: time.Now()})
		}
		for id, e := range live {
			_, word, _ := strings.Cut(strings.Trim(string(e.Value), `"`), "is ")
			hits, err := ask(word)
			if err != nil {
				return err
			}
			if len(hits) != 1 || hits[0].Entry != id {
				t.Errorf("%s: its own word finds %d entries", e.Key, len(hits))
			}
		}
		hits, err := ask("number")
		if len(hits) != len(live) {
			t.Errorf("a shared word finds %d entries, %d live", len(hits), len(live))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compareVectors checks that exactly the living have vectors, and those of
// the text that they have now.
func compareVectors(t *testing.T, storage indexer.Storage, fingerprint string, live map[uuid.UUID]memory.Entry) {
	t.Helper()
	ctx := context.Background()
	e := encoder(t)
	have := make(map[uuid.UUID]bool)
	err := storage.View(ctx, func(tx indexer.ReadTx) error {
		return tx.AllVectors(ctx, fingerprint, func(r vector.Record) error {
			entry, ok := live[r.Entry]
			if !ok {
				t.Errorf("an entry that does not live has a vector")
				return nil
			}
			have[r.Entry] = true
			want, err := e.Passages(ctx, e.Split("", lexical.TextOf(entry.Value)))
			if err != nil {
				return err
			}
			if cosine(want[r.Chunk], r.Vector.Floats()) < 0.999 {
				t.Errorf("%s: its vector is of another text", entry.Key)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(have) != len(live) {
		t.Errorf("%d of %d living entries have vectors", len(have), len(live))
	}
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
