package vectorcache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mneme/embed"
	"mneme/embed/maxsim"
)

// fakeEmbedder counts the texts that it embeds, and returns distinct vectors
// for distinct texts.
type fakeEmbedder struct {
	embed.Embedder
	fingerprint string
	codes       bool
	texts       int
}

func (f *fakeEmbedder) Fingerprint() string { return f.fingerprint }

func (f *fakeEmbedder) Query(_ context.Context, text string) (embed.Query, error) {
	f.texts++
	q := embed.Query{Vector: []float32{float32(len(text)), -.25}}
	if f.codes {
		q.Tokens = []embed.Token{{Start: 1, End: len(text), Vector: maxsim.Vector{-127, 3}}}
	}
	return q, nil
}

func (f *fakeEmbedder) Passages(_ context.Context, texts []string) ([]embed.Passage, error) {
	passages := make([]embed.Passage, len(texts))
	for i, text := range texts {
		f.texts++
		passages[i].Vector = []float32{float32(len(text)), .125}
		if f.codes {
			passages[i].Codes = bytes.Repeat([]byte{byte(len(text))}, maxsim.TokenSize)
		}
	}
	return passages, nil
}

var texts = []string{"one secret text", "another", ""}

// embedAll embeds texts through a cache in dir, closes it, and returns all
// results and the cache's Stats.
func embedAll(t *testing.T, dir string, embedder embed.Embedder) (all []any, stats Stats) {
	t.Helper()
	cache, err := Open(dir, embedder)
	if err != nil {
		t.Fatal(err)
	}
	passages, err := cache.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		q, err := cache.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, passages[i], q)
	}
	stats = cache.Stats()
	if err := cache.Close(); err != nil {
		t.Fatal(err)
	}
	return all, stats
}

func TestSecondRunEmbedsNothing(t *testing.T) {
	for _, codes := range []bool{false, true} {
		dir := t.TempDir()
		model := &fakeEmbedder{fingerprint: "a", codes: codes}
		first, stats := embedAll(t, dir, model)
		if model.texts != 6 || stats != (Stats{Embedded: 6}) {
			t.Errorf("first run: %d texts, %+v", model.texts, stats)
		}
		model.texts = 0
		second, stats := embedAll(t, dir, model)
		if model.texts != 0 || stats != (Stats{Reused: 6}) {
			t.Errorf("second run: %d texts, %+v", model.texts, stats)
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("got %+v, then %+v", first, second)
		}
		other := &fakeEmbedder{fingerprint: "b"}
		if embedAll(t, dir, other); other.texts != 6 {
			t.Errorf("another fingerprint: %d texts", other.texts)
		}
	}
}

func TestOnlyNewTextsAreEmbedded(t *testing.T) {
	dir, model := t.TempDir(), &fakeEmbedder{fingerprint: "a"}
	embedAll(t, dir, model)
	cache, err := Open(dir, model)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	model.texts = 0
	passages, err := cache.Passages(t.Context(), []string{"fresh", texts[0], "fresher"})
	if err != nil || model.texts != 2 {
		t.Fatalf("%d texts, %v", model.texts, err)
	}
	for i, length := range []int{5, len(texts[0]), 7} {
		if passages[i].Vector[0] != float32(length) {
			t.Errorf("%d: got %v", i, passages[i].Vector)
		}
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"+suffix))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	return paths
}

// Every changed, lost or added byte is detected, and the vectors are recomputed.
func TestDamagedFilesAreMadeAgain(t *testing.T) {
	dir := t.TempDir()
	model := &fakeEmbedder{fingerprint: "a", codes: true}
	want, _ := embedAll(t, dir, model)
	whole, err := os.ReadFile(files(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string][]byte{"empty": {}, "longer": append(bytes.Clone(whole), 0)}
	for i := 0; i < len(whole); i += 13 {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 0x40
		damage[fmt.Sprint("flipped ", i)] = flipped
		damage[fmt.Sprint("cut ", i)] = whole[:i]
	}
	for name, data := range damage {
		if err := os.WriteFile(files(t, dir)[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		model.texts = 0
		got, stats := embedAll(t, dir, model)
		if model.texts != 6 || stats.Damaged != 1 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d texts, %+v", name, model.texts, stats)
		}
		if len(files(t, dir)) != 1 {
			t.Errorf("%s: files %v", name, files(t, dir))
		}
	}
}

func TestFilesHoldNoText(t *testing.T) {
	dir := t.TempDir()
	embedAll(t, dir, &fakeEmbedder{fingerprint: "a", codes: true})
	for _, path := range files(t, dir) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(texts[0]) {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s is in a file", word)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}
