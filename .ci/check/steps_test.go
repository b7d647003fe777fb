package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// repository returns a digester of this repository.
func repository(t *testing.T) *digester {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return newDigester(root, steps, append(os.Environ(), "tools="+t.TempDir(), "work="+t.TempDir(), "mneme=mneme"))
}

func TestTheStepsAreDeclaredWell(t *testing.T) {
	if err := steps.verify(); err != nil {
		t.Error(err)
	}
	d := repository(t)
	for _, s := range steps {
		for _, function := range []string{s.run, s.ready} {
			if _, err := d.function(function); function != "" && err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	}
}

func TestEachFileOfEachInputOfAStepChangesItsDigest(t *testing.T) {
	d := repository(t)
	step := func(s *step) string {
		digest, err := d.step(s)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		return digest
	}
	tried := make(map[string]bool)
	for _, s := range steps {
		before := step(s)
		for _, input := range s.inputs {
			digest := d.inputs[input]
			d.inputs[input] = "changed"
			if step(s) == before {
				t.Errorf("%s: a change of %s is not noticed", s.name, input)
			}
			d.inputs[input] = digest
			if tried[input] {
				continue
			}
			tried[input] = true
			for _, file := range d.lists[input] {
				digest := d.files[file]
				d.files[file] = "changed"
				delete(d.inputs, input)
				if step(s) == before {
					t.Errorf("%s: a change of %s is not noticed", s.name, file)
				}
				d.files[file] = digest
			}
			delete(d.inputs, input)
		}
	}
}

func TestEachFuzzTargetAndBenchmarkIsInAStep(t *testing.T) {
	const compare = `. .ci/steps/go.sh; diff <(having "$1" ./...) <(having "$1" $2)`
	out, err := repository(t).output("bash", "-c", compare, "bash", `Fuzz\|^func Benchmark`, surfaces+" "+heart+" "+ground)
	if err != nil {
		t.Errorf("no step runs those of\n%s%v", out, err)
	}
}

// unchecked are files that no step reads except the tests, which have no stamp, or
// whose content no step can check.
var unchecked = []string{
	".gitignore", "LICENSE", "benchmarks/peers/README.md", "benchmarks/peers/requirements.txt",
	"benchmarks/peers/requirements-hindsight.txt", "clients/typescript/.gitignore", "embed/e5/.gitattributes", "embed/tools/fit/texts.jsonl",
}

func TestEachFileIsAnInputOfAStep(t *testing.T) {
	d := repository(t)
	all, err := d.list(":/")
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Clone(unchecked)
	for _, s := range steps {
		for _, input := range s.inputs {
			files, err := d.list(input)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if input != ":/" {
				known = append(known, files...)
			}
		}
	}
	slices.Sort(known)
	for _, file := range all {
		if _, ok := slices.BinarySearch(known, file); !ok {
			t.Errorf("no step depends on %s", file)
		}
	}
	if !slices.Contains(d.lists["test:./vector/flat ./embed/maxsim ./embed/e5"], "vector/flat/kernel_arm64.s") {
		t.Error("the step arm64 does not depend on its assembly")
	}
}
