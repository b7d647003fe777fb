package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/embed/tools/pack/packtest"
	"mneme/embed/tools/pull"
	"mneme/test/size"
)

// publishSmall writes the files of the small model of package packtest to a folder, and
// returns them as a published model.
func publishSmall(t *testing.T, folder string) publishedModel {
	t.Helper()
	tokenizer, err := packtest.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	publish := func(name string, content []byte) pull.File {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		return pull.File{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	}
	return publishedModel{
		name: "small", page: "http://127.0.0.1:1/unreachable",
		model:     publish("model.safetensors", packtest.Random(packtest.Rows).Safetensors()),
		tokenizer: publish("tokenizer.json", tokenizer),
		passages:  size.Of(30, 0),
	}
}

// pullModel runs model pull for a published model.
func pullModel(t *testing.T, published publishedModel, args ...string) (out string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &stdout, err: &stderr}
	cmd := newModelPull(p, published, pull.New())
	cmd.Flags().String("data-dir", "", "")
	cmd.SetArgs(append([]string{"multilingual"}, args...))
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), err
}

func TestModelPullDownloadsAndPacks(t *testing.T) {
	t.Parallel()
	folder, dir := t.TempDir(), t.TempDir()
	published := publishSmall(t, folder)
	server := httptest.NewServer(http.StripPrefix("/mirror/", http.FileServer(http.Dir(folder))))
	defer server.Close()
	part := filepath.Join(dir, "data", "small.weights.download", "model.safetensors.part")
	if err := os.MkdirAll(filepath.Dir(part), 0o700); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(part, whole[:len(whole)/2], 0o600); err != nil { // from an earlier run
		t.Fatal(err)
	}
	out, err := pullModel(t, published, "--from", server.URL+"/mirror", "--data-dir", filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(dir, "data", "small.weights")
	for _, want := range []string{weights + ": ", "+codes1/", "e5.weights", "mneme reindex"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(weights)); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v: %v", files, err)
	}
	file := filepath.Join(dir, "mneme.yaml")
	if err := os.WriteFile(file, []byte("e5:\n  weights: "+weights+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, filepath.Join(dir, "store"), "", "import", sampleMemories, "--config", file)
	r := decode[struct{ Fingerprint string }](t, must(t, filepath.Join(dir, "store"), "", "reindex", "--json", "--config", file))
	if !strings.Contains(r.Fingerprint, "e5-unigram/w8a8g32/") || !strings.Contains(r.Fingerprint, "+codes1/") {
		t.Errorf("it serves with %s", r.Fingerprint)
	}
}

func TestModelPullTakesLocalFiles(t *testing.T) {
	t.Parallel()
	folder, dir := t.TempDir(), t.TempDir()
	published := publishSmall(t, folder)
	weights := filepath.Join(dir, "new", "w")
	if _, err := pullModel(t, published, "--from", folder, "--out", weights); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(weights); err != nil {
		t.Error(err)
	}
	before, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "notes.md")
	if err := os.WriteFile(notes, []byte(strings.Repeat("The garden needs water twice a week; el jardín también.\n", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	fitted := decode[packedModel](t, must(t, "", "", "model", "fit", "--json", "--weights", weights, "--texts", notes))
	if after, err := os.ReadFile(weights); err != nil || bytes.Equal(before, after) || !strings.Contains(fitted.Fingerprint, "+codes1/") {
		t.Errorf("model fit printed %+v, error %v", fitted, err)
	}
	if r := mneme(t, "", "", "model", "fit", "--weights", notes); r.status != exitFailed || !strings.Contains(r.err, "not a weights file") && !strings.Contains(r.err, "damaged") {
		t.Errorf("model fit of another file: status %d, %s", r.status, r.err)
	}
}

func TestModelPullNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	folder, dir := t.TempDir(), t.TempDir()
	published := publishSmall(t, folder)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	other := published
	other.tokenizer.SHA256 = strings.Repeat("0", 64)
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		published publishedModel
		args      []string
		want      string
	}{
		"another file":      {other, []string{"--from", folder}, "tokenizer.json has"},
		"another download":  {other, []string{"--from", server.URL}, "tokenizer.json.part has"},
		"no such page":      {published, []string{"--from", server.URL + "/none"}, "404 Not Found"},
		"no such folder":    {published, []string{"--from", filepath.Join(folder, "none")}, whyMissing(t, filepath.Join(folder, "none", "file"))},
		"a file, no folder": {published, []string{"--from", folder, "--out", filepath.Join(blocked, "w")}, whyMissing(t, filepath.Join(blocked, "w"))},
	} {
		args := append([]string{"--out", filepath.Join(dir, name, "w")}, c.args...)
		if _, err := pullModel(t, c.published, args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name, "w")); err == nil {
			t.Errorf("%s: weights were written", name)
		}
	}
}
