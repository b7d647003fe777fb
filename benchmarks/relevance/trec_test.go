package relevance

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestRunRoundTrip(t *testing.T) {
	run := Run{
		"q2": {{"a:b/1", 0.30000000000000004}, {"b", -1e-300}},
		"q1": {{"é", 7}},
	}
	var written bytes.Buffer
	if err := WriteRun(&written, run, "mneme"); err != nil {
		t.Fatal(err)
	}
	want := "q1 Q0 é 1 7 mneme\nq2 Q0 a:b/1 1 0.30000000000000004 mneme\nq2 Q0 b 2 -1e-300 mneme\n"
	if written.String() != want {
		t.Errorf("wrote\n%s", written.String())
	}
	dir := write(t, map[string]string{"run.trec": written.String()})
	back, tag, err := ReadRun(filepath.Join(dir, "run.trec"))
	if err != nil || tag != "mneme" || !reflect.DeepEqual(back, run) {
		t.Errorf("read %v %s, %v", back, tag, err)
	}
}

func TestWriteRunRejectsInvalidFields(t *testing.T) {
	for name, run := range map[string]Run{
		"blank in a query":    {"q 1": nil},
		"blank in a document": {"q": {{"a b", 1}}},
		"empty document":      {"q": {{"", 1}}},
		"NaN":                 {"q": {{"a", math.NaN()}}},
		"infinity":            {"q": {{"a", math.Inf(1)}}},
	} {
		if WriteRun(&bytes.Buffer{}, run, "t") == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if WriteRun(&bytes.Buffer{}, Run{}, "") == nil {
		t.Error("empty tag: no error")
	}
}

func TestReadRunNamesTheInvalidLine(t *testing.T) {
	for _, bad := range []string{
		"q Q0 a 1 2",
		"q Q0 a 1 x t",
		"q Q0 a 1 NaN t",
		"q Q0 ok 1 2 t",
	} {
		dir := write(t, map[string]string{"run.trec": "q Q0 ok 1 3 t\n\n" + bad + "\n"})
		_, _, err := ReadRun(filepath.Join(dir, "run.trec"))
		if err == nil || !strings.Contains(err.Error(), "run.trec:3:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, _, err := ReadRun(filepath.Join(write(t, map[string]string{"run.trec": "\n"}), "run.trec")); err == nil {
		t.Error("an empty file: no error")
	}
}
