package lexical

import (
	"slices"
	"strings"
	"testing"

	"mneme/internal/edit"
)

func TestTypos(t *testing.T) {
	for _, c := range []struct {
		word, term string
		want       int
	}{
		{"thermostat", "thermostat", 0}, {"termostat", "thermostat", 1}, {"thermostatt", "thermostat", 1}, {"cat", "dog", 3}, {"wojcechovsky", "wojciechowski", 2}, {"abcd", "badc", 2}, {"πατρις", "πατρισ", 1},
	} {
		if got := Typos(c.word, c.term, 2); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.word, c.term, got, c.want)
		}
	}
}

// A word that is longer than a term is not corrected: the cost grows with the square of
// its length.
func TestAWordThatIsLongerThanATermIsNoTypo(t *testing.T) {
	for letter, longest := range map[string]int{"x": MaxTermBytes, "ж": MaxTermBytes / 2} {
		if word := strings.Repeat(letter, longest); !MayBeTypo(word) || MayBeTypo(word+letter) || MaxTypos(word+letter) != 0 {
			t.Errorf("of %d letters %s: %v, of one more: %v", longest, letter, MayBeTypo(word), MayBeTypo(word+letter))
		}
	}
}

func TestCorrections(t *testing.T) {
	for word, term := range map[string]string{
		"termostat": "thermostat", "thermostatt": "thermostat", "cinamon": "cinnamon", "cardamon": "cardamom", "przemk": "przemek",
		"mortgge": "mortgag", "runnign": "run", "alergies": "allergi", "hermostat": "thermostat", "xthermostat": "thermostat",
		"корва": string(stem([]byte("корова"))), "καλημρα": "καλημερα",
	} {
		if !slices.ContainsFunc(Corrections(word), func(c Correction) bool { return c.Term == term }) {
			t.Errorf("%s does not become %s", word, term)
		}
	}
	if slices.ContainsFunc(Corrections("thermostat"), func(c Correction) bool { return c.Term == "thermostat" }) {
		t.Error("a word is a correction of itself")
	}
	if !slices.Contains(Corrections("runnign"), Correction{"run", "running"}) {
		t.Error("a correction has not its word")
	}
	if n := len(Corrections("screwdriver")); n > 800 {
		t.Errorf("%d corrections", n)
	}
}

func TestMayBeTypo(t *testing.T) {
	for word, most := range map[string]int{"cat": 0, "boat": 1, "thermostat": 2, "letters": 1, "sevenone": 2, "ab12": 0, "naïve": 0, "дом": 0, "молоко": 1, "猫猫猫猫": 0, "": 0} {
		if got := MaxTypos(word); got != most {
			t.Errorf("%q: %d, want %d", word, got, most)
		}
	}
}

func FuzzCorrections(f *testing.F) {
	f.Add("termostat")
	f.Add("молко")
	f.Fuzz(func(t *testing.T, word string) {
		if len(word) > 60 || MaxTypos(word) == 0 {
			return
		}
		for _, c := range Corrections(word) {
			if edit.Distance(word, c.Word, 1) > 1 || c.Term == "" {
				t.Errorf("%q becomes %q, of the term %q", word, c.Word, c.Term)
			}
		}
	})
}
