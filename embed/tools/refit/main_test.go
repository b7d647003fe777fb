package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mneme/embed/e5"
	"mneme/embed/e5/projection"
	"mneme/embed/maxsim"
)

// shipped are the built-in projections with the files from which they were made. Paths are
// relative to the folder of the data sets or to this folder.
var shipped = []struct {
	multilingual bool
	// relabeled is set if the projection was fitted to version 1 of the vectors. A fit to the
	// current vectors then has the same mean and spans the same space, up to rounding; but its
	// components may have other signs.
	relabeled  bool
	file, page string
	passages   int // -passages
	sources    []string
	inputs     []input
}{
	{
		relabeled: true, file: "../../e5/e5-small-v2.projection", page: "../../../docs/models/e5-small-v2.md", passages: 250,
		sources: []string{"scifact/corpus.jsonl", "fit/texts.jsonl"},
		inputs: []input{
			{"scifact/corpus.jsonl", "f4a47c54e01f9dfe7f0cbbcae0e1df17c5a90d6553f3a9d5b1ba32184545b3d8"},
			{"../fit/texts.jsonl", "584dead9b949147b4e47376680561625f1b4ba92dd2e391fe9166cc13d463de2"},
		},
	},
	{
		multilingual: true, file: "../../e5/multilingual-e5-small.projection", page: "../../../docs/models/multilingual-e5-small.md",
		passages: 1000, sources: []string{"fit/multilingual.jsonl", "fit/texts.jsonl"},
		inputs: []input{
			{"../fit/multilingual.jsonl", "e587872644dc947b09ee3b03ffa9fd21a7b6b8d9960071f8c3d38f54e399143d"},
			{"../fit/texts.jsonl", "584dead9b949147b4e47376680561625f1b4ba92dd2e391fe9166cc13d463de2"},
		},
	},
}

// input is a file with its SHA-256 sum.
type input struct{ path, sum string }

// local reports whether the file is in the repository.
func (i input) local() bool { return strings.HasPrefix(i.path, "..") }

// The run takes minutes. MNEME_E5_FIT is the folder of the BEIR data sets.
func TestFittedFilesMatchTheRepository(t *testing.T) {
	data := os.Getenv("MNEME_E5_FIT")
	if data == "" {
		t.Skip("MNEME_E5_FIT does not name the data sets; see docs/models/e5-small-v2.md")
	}
	for _, p := range shipped {
		var files []string
		for _, input := range p.inputs {
			path, err := filepath.Abs(input.path)
			if !input.local() {
				path = filepath.Join(data, input.path)
			}
			if err != nil {
				t.Fatal(err)
			}
			requireSum(t, path, input.sum)
			files = append(files, path)
		}
		out := filepath.Join(t.TempDir(), "projection")
		if err := run(t.Context(), p.multilingual, out, p.passages, files); err != nil {
			t.Fatal(err)
		}
		if p.relabeled {
			requireSameSpace(t, parse(t, out), parse(t, p.file))
		} else if got, want := read(t, out), read(t, p.file); !bytes.Equal(got, want) {
			t.Errorf("the file fitted to the texts is not %s", p.file)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func requireSum(t *testing.T, path, want string) {
	t.Helper()
	if sum := sha256.Sum256(read(t, path)); hex.EncodeToString(sum[:]) != want {
		t.Errorf("%s has SHA-256 %x, want %s", path, sum, want)
	}
}

// The pages in docs/models name the inputs of the shipped files; they change together.
func TestTheShippedFilesAreTheDocumentedOnes(t *testing.T) {
	for _, shipped := range shipped {
		file, page := read(t, shipped.file), string(read(t, shipped.page))
		sum := sha256.Sum256(file)
		sums := []string{hex.EncodeToString(sum[:])}
		for _, input := range shipped.inputs {
			if sums = append(sums, input.sum); input.local() {
				requireSum(t, input.path, input.sum)
			}
		}
		for _, want := range sums {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not name %s", shipped.page, want)
			}
		}
		p, err := projection.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Sources, shipped.sources) {
			t.Errorf("sources %q, want %q", p.Sources, shipped.sources)
		}
		if _, err := e5.New(e5.Options{Multilingual: shipped.multilingual, Lazy: true, Codes: true}); err != nil {
			t.Error(err)
		}
	}
}

func TestTheSameTextsGiveTheSameBytes(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.md")
	corpus := filepath.Join(folder, "corpus.jsonl")
	for file, content := range map[string]string{
		text:   strings.Repeat("The garden needs water twice a week, and the tomatoes more.\n", 3),
		corpus: `{"_id": "1", "title": "Tea", "text": "Ada drinks her tea green, without sugar."}` + "\n" + `{"_id": "2", "text": "` + strings.Repeat("The train to Bern leaves at seven. ", 8) + `"}`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var files [2][]byte
	for i := range files {
		out := filepath.Join(folder, "out")
		if err := run(t.Context(), false, out, 100, []string{corpus, text}); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two runs gave different files")
	}
	if _, err := e5.New(e5.Options{Codes: true, Projection: files[0]}); err != nil {
		t.Errorf("the encoder refuses the file: %v", err)
	}
}

func parse(t *testing.T, path string) *projection.Projection {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := projection.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// requireSameSpace requires that two projections have about the same mean and span about the
// same space: projected on the components of one, those of the other keep nearly their whole
// length.
func requireSameSpace(t *testing.T, a, b *projection.Projection) {
	t.Helper()
	width := len(a.Mean)
	for i := range a.Mean {
		if d := math.Abs(float64(a.Mean[i] - b.Mean[i])); d > .01 {
			t.Errorf("the means differ by %.4f in component %d", d, i)
		}
	}
	kept := 0.0
	for i := range maxsim.Dim {
		for j := range maxsim.Dim {
			product := 0.0
			for k := range width {
				product += float64(a.Components[i*width+k]) * float64(b.Components[j*width+k])
			}
			kept += product * product / maxsim.Dim
		}
	}
	if kept < .99 {
		t.Errorf("the spaces share %.4f of their length", kept)
	}
}

// A projection that is relabelled from an earlier precision of the encoder keeps its
// components, and the current encoder accepts it. The projection of another encoder is
// rejected.
func TestRelabelKeepsTheComponents(t *testing.T) {
	encoder, err := e5.New(e5.Options{Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	old, out := filepath.Join(folder, "old"), filepath.Join(folder, "new")
	want := parse(t, shipped[0].file)
	want.Encoder = encoder.Predecessors()[0]
	if err := os.WriteFile(old, want.Append(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := relabel(out, old); err != nil {
		t.Fatal(err)
	}
	got := parse(t, out)
	if got.Encoder != encoder.Fingerprint() || !slices.Equal(got.Components, want.Components) || !slices.Equal(got.Mean, want.Mean) {
		t.Errorf("a projection of %q, with other components or another mean", got.Encoder)
	}
	want.Encoder = "another/model"
	if err := os.WriteFile(old, want.Append(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := relabel(out, old); err == nil || !strings.Contains(err.Error(), "another/model") {
		t.Errorf("a projection of another model: error %v", err)
	}
}
