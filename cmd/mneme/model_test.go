package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/embed/e5/weightfile"
	"mneme/embed/tools/pack/packtest"
)

// packSmall writes the small model of package packtest to a folder, packs it and
// returns the weights file.
func packSmall(t *testing.T, dir string) string {
	t.Helper()
	tokenizer, err := packtest.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "small.weights")
	model, words := filepath.Join(dir, "model.safetensors"), filepath.Join(dir, "tokenizer.json")
	for path, content := range map[string][]byte{model: packtest.Random(packtest.Rows).Safetensors(), words: tokenizer} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packed := decode[packedModel](t, must(t, "", "", "model", "pack", "--json", "--codes=false", "--safetensors", model, "--tokenizer", words, "--out", out))
	if info, err := os.Stat(out); err != nil || info.Size() != int64(packed.Bytes) || !strings.HasPrefix(packed.Fingerprint, "e5-unigram/") {
		t.Fatalf("printed %+v, error %v", packed, err)
	}
	return out
}

// The old vectors serve until the entries are embedded with the packed model, and a
// process without that model continues with lexical search only.
func TestPackedModelServesAfterAReindex(t *testing.T) {
	t.Parallel()
	weights, dir := packSmall(t, t.TempDir()), t.TempDir()
	file := filepath.Join(t.TempDir(), "mneme.yaml")
	if err := os.WriteFile(file, []byte("e5:\n  weights: "+weights+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "", "import", sampleMemories)
	must(t, dir, "", "reindex") // embeds what is queued
	search := func(flags ...string) answer {
		t.Helper()
		a := decode[answer](t, must(t, dir, "", append([]string{"search", "--agent", "iris", "--json", "花园 garden"}, flags...)...))
		if len(a.Hits) == 0 {
			t.Error("no hits")
		}
		return a
	}
	if a := search("--config", file); len(a.Degraded) != 0 {
		t.Errorf("before the reindex: degraded %v", a.Degraded)
	}
	type report struct {
		Entries     int64
		Fingerprint string
	}
	r := decode[report](t, must(t, dir, "", "reindex", "--json", "--config", file))
	if r.Entries == 0 || !strings.HasPrefix(r.Fingerprint, "e5-unigram/") {
		t.Errorf("reindexed: %+v", r)
	}
	if a := search("--config", file); len(a.Degraded) != 0 {
		t.Errorf("after the reindex: degraded %v", a.Degraded)
	}
	if a := decode[answer](t, must(t, dir, "", "search", "--agent", "iris", "--json", "memory")); len(a.Degraded) != 1 {
		t.Errorf("without the model: degraded %v", a.Degraded)
	}
	built := must(t, "", "", "embed", "one text")
	if packed := must(t, "", "", "embed", "one text", "--config", file); packed == built || strings.Count(packed, ",") != 383 {
		t.Error("embed does not use the packed model")
	}
}

func TestModelPackRefusesWhatItCannotUse(t *testing.T) {
	dir := t.TempDir()
	weights := packSmall(t, dir)
	before, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	words := filepath.Join(dir, "tokenizer.json")
	for line, why := range map[string]string{
		"--safetensors " + words + " --tokenizer " + words:                                             "safetensors",
		"--onnx " + words + " --tokenizer " + words:                                                    "ONNX",
		"--safetensors " + filepath.Join(dir, "model.safetensors") + " --tokenizer " + weights:         "tokenizer.json is not supported",
		"--safetensors " + filepath.Join(dir, "none") + " --tokenizer " + words:                        "none",
		"--safetensors " + filepath.Join(dir, "model.safetensors") + " --tokenizer " + dir + "/absent": "absent",
	} {
		r := mneme(t, "", "", append(strings.Fields("model pack --out "+weights), strings.Fields(line)...)...)
		if r.status != exitFailed || !strings.Contains(r.err, why) {
			t.Errorf("%s: status %d, %s", line, r.status, r.err)
		}
	}
	if after, err := os.ReadFile(weights); err != nil || string(after) != string(before) {
		t.Errorf("a failed run changed the weights file: error %v", err)
	}
	if left, err := filepath.Glob(weights + ".*"); err != nil || len(left) != 0 {
		t.Errorf("files %q are left, error %v", left, err)
	}
}

func TestWeightsThatCannotBeUsedAreAConfigurationError(t *testing.T) {
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.weights")
	if err := os.WriteFile(damaged, []byte("not weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(packSmall(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	projected, err := weightfile.SetProjection(packed, []byte("no projection"))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.weights")
	if err := os.WriteFile(other, projected, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{damaged, other, filepath.Join(dir, "none"), dir} {
		t.Setenv("MNEME_E5_WEIGHTS", path)
		for _, line := range []string{"embed text", "search --agent a text"} {
			r := mneme(t, folderWithDatabase(t), "", strings.Fields(line)...)
			if r.status != exitUsage || !strings.Contains(r.err, "e5.weights: ") {
				t.Errorf("%s, %s: status %d, %s", path, line, r.status, r.err)
			}
		}
	}
}
