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
	"mneme/embed/e5"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlite"
	"mneme/test/backendtest"
	"mneme/test/size"
	"mneme/vector"
	"mneme/vector/flat"
)

// crashVariable is an environment variable. If it is set, the test program is the process that
// the crash test starts and kills; its value is that process's database.
const crashVariable = "MNEME_CRASH_TEST_DATABASE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashVariable); path != "" {
		if err := writeUnderLoad(path, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// Many tests may run in parallel, since they mostly wait for servers. The flag -parallel
	// overrides this.
	set("test.parallel", "8")
	// A check of a property is slow, because it fills two databases.
	set("rapid.checks", "10")
	flag.Parse()
	if testing.Short() { // rapid itself runs a fifth
		set("rapid.checks", "25")
		flag.Parse() // -rapid.checks overrides both
	}
	os.Exit(m.Run())
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

// crashKeys is the number of keys that the process writes.
const crashKeys = 40

// writeUnderLoad creates, overwrites and deletes entries while the worker runs. Before each
// write it prints "try put KEY N" or "try delete KEY N", and after the write was acknowledged
// the same without "try". It returns only on an error.
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
	s, err := backendtest.NewProcess(ctx, storage, backendtest.Options{}, indexer.Model{
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

// crashText returns a value with a word that no other value contains.
func crashText(n int64) string { return "the number is " + crashWord(n) }

// crashWord encodes a number in letters, with an ending that no stemmer strips, so that every
// analyzer reads it as one word.
func crashWord(n int64) string {
	var letters []byte
	for ; n > 0; n /= 20 {
		letters = append(letters, "abcdefghijklmnopqrst"[n%20])
	}
	return "w" + string(letters) + "q"
}

// crashNumber decodes a crashWord.
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

// writeLog holds what the process printed, by key: the number of the last write that was
// acknowledged, and that of a write that was begun but not acknowledged, which may have been
// committed. The number 0 is a deletion.
type writeLog struct {
	acknowledged map[string]int64
	inFlight     map[string]int64
}

func (l *writeLog) read(line string) {
	f := strings.Fields(line)
	try := len(f) == 4 && f[0] == "try"
	if try {
		f = f[1:]
	}
	if len(f) != 3 {
		return // cut off by the kill
	}
	n, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return
	}
	if f[0] == "delete" {
		n = 0
	}
	if try {
		l.inFlight[f[1]] = n
		return
	}
	l.acknowledged[f[1]] = n
	delete(l.inFlight, f[1])
}

func TestKilledProcessLosesNoAcknowledgedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	writes := writeLog{acknowledged: make(map[string]int64), inFlight: make(map[string]int64)}
	for range size.Of(3, 8) {
		runAndKill(t, path, &writes)
		checkDatabase(t, path, &writes)
	}
}

// runAndKill starts the process and kills it at a random time after its first write.
func runAndKill(t *testing.T, path string, writes *writeLog) {
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
	hung := time.AfterFunc(4*time.Minute, func() { cmd.Process.Kill() }) //nolint:errcheck // then it has written nothing
	defer hung.Stop()
	var kill *time.Timer
	lineCount := 0
	for lines.Scan() {
		if kill == nil {
			kill = time.AfterFunc(time.Duration(rand.IntN(size.Of(500, 1500)))*time.Millisecond, func() { cmd.Process.Kill() }) //nolint:errcheck // it may have exited
		}
		writes.read(lines.Text())
		lineCount++
	}
	cmd.Wait() //nolint:errcheck // it was killed
	if lineCount == 0 {
		t.Fatalf("the process wrote nothing: %s", stderr.String())
	}
}

// checkDatabase opens the database as a restarted process would, works the queue, and compares
// rows, terms and vectors with the writes.
func checkDatabase(t *testing.T, path string, writes *writeLog) {
	t.Helper()
	ctx := context.Background()
	storage, err := sqlite.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	e := encoder(t)
	s, err := backendtest.NewProcess(ctx, storage, backendtest.Options{Memory: memory.Options{ // Leases of the killed process have expired by then.
		Now: func() time.Time { return time.Now().Add(10 * time.Minute) }}}, indexer.Model{
		Embedder: e, Local: true,
		Open: func(context.Context) (vector.Index, error) { return flat.New(e.Dim()), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drain(ctx, nil); err != nil {
		t.Fatal(err)
	}
	live := checkRows(t, s.Service, writes)
	checkTerms(t, storage, live)
	checkVectors(t, storage.ForIndexer(), e.Fingerprint(), live)
}

// checkRows checks every key and returns the live entries.
func checkRows(t *testing.T, s *memory.Service, writes *writeLog) map[uuid.UUID]memory.Entry {
	t.Helper()
	ctx, c := context.Background(), agent("writer", acl.Public)
	live := make(map[uuid.UUID]memory.Entry)
	for i := range crashKeys {
		key := strconv.Itoa(i)
		f, err := s.Get(ctx, c, memory.Path{Store: "writer", Key: key})
		want, known := writes.acknowledged[key]
		maybe, inFlight := writes.inFlight[key]
		matches := func(n int64) bool {
			if n == 0 {
				return status(err) == 404
			}
			return err == nil && bytes.Equal(f.Value, text(crashText(n)))
		}
		if known && !matches(want) && !(inFlight && matches(maybe)) {
			t.Fatalf("%s: an acknowledged write was lost (status %d)", key, status(err))
		}
		if !known && !inFlight && err == nil {
			t.Fatalf("%s: exists, but was never written", key)
		}
		// The state that was found is the one from which the next round starts.
		delete(writes.inFlight, key)
		writes.acknowledged[key] = 0
		if err == nil {
			live[f.ID] = f.Entry
			writes.acknowledged[key] = numberIn(t, f.Entry)
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
		t.Fatalf("%s has a value that was never written", e.Key)
	}
	return n
}

// checkTerms checks searches by words: the word of each live entry finds only this entry, and
// the word that all entries have in common finds all live ones.
func checkTerms(t *testing.T, storage memory.Storage, live map[uuid.UUID]memory.Entry) {
	t.Helper()
	ctx := context.Background()
	err := storage.View(ctx, func(tx memory.ReadTx) error {
		scope, err := acl.NewScope(ctx, tx, acl.Principal{Agent: "writer", Taint: acl.Public}, acl.ScopeRequest{}, time.Now())
		if err != nil {
			return err
		}
		search := func(query string) ([]lexical.Hit, error) {
			hits, _, err := tx.Lexical(ctx, scope, memory.LexicalQuery{Terms: lexical.ParseQuery(query), Limit: 1000, Now: time.Now()})
			return hits, err
		}
		for id, e := range live {
			_, word, _ := strings.Cut(strings.Trim(string(e.Value), `"`), "is ")
			hits, err := search(word)
			if err != nil {
				return err
			}
			if len(hits) != 1 || hits[0].Entry != id {
				t.Errorf("%s: its own word finds %d entries", e.Key, len(hits))
			}
		}
		hits, err := search("number")
		if len(hits) != len(live) {
			t.Errorf("a shared word finds %d entries, %d live", len(hits), len(live))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkVectors checks that exactly the live entries have vectors, made from their current text.
func checkVectors(t *testing.T, storage indexer.Storage, fingerprint string, live map[uuid.UUID]memory.Entry) {
	t.Helper()
	ctx := context.Background()
	e := encoder(t)
	found := make(map[uuid.UUID]bool)
	err := storage.View(ctx, func(tx indexer.ReadTx) error {
		return tx.AllVectors(ctx, fingerprint, func(r vector.Record) error {
			entry, ok := live[r.Entry]
			if !ok {
				t.Error("an entry that is not live has a vector")
				return nil
			}
			found[r.Entry] = true
			want, err := e.Passages(ctx, e.Split("", lexical.TextOf(entry.Value)))
			if err != nil {
				return err
			}
			if cosine(want[r.Chunk].Vector, r.Vector.Floats()) < 0.999 {
				t.Errorf("%s: its vector was made from another text", entry.Key)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(live) {
		t.Errorf("%d of %d live entries have vectors", len(found), len(live))
	}
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
