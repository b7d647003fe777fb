package lexical

import (
	"strings"
	"testing"
)

func TestRolesOfWords(t *testing.T) {
	for query, want := range map[string]string{
		"tell me about Juno":                   "juno:name tell:asking",
		"Facts about the user":                 "fact:asking user:sought",
		"What did Caroline say on Monday?":     "carolin:name monday:sought say:asking",
		"Nadia's profile":                      "nadia:sought profil:asking", // it begins the sentence
		"give me a summary of Project Halcyon": "give:asking halcyon:name project:name summari:asking",
		"Was weiß der Nachbar von der Katze?":  "katz:sought nachbar:sought weiss:sought", // German has capitals on nouns
		"what did NASA find, and who is x?":    "find:asking nasa:name x:sought",
		"the build_status of CI":               "build:sought buildstatus:joined ci:name status:sought",
		"":                                     "",
	} {
		var got []string
		for _, term := range ParseQuery(query) {
			if term.Variant {
				continue
			}
			got = append(got, term.Text+":"+[]string{"sought", "asking", "name", "joined"}[term.Role])
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	query := []QueryTerm{{Text: "fact", Weight: 1, Role: Asking}, {Text: "juno", Weight: 2, Role: Name}, {Text: "oven", Weight: 1}}
	scorer := func(asking, name, sought int64) *Scorer {
		return NewScorer(Stats{Documents: 10, Length: 100}, query, []int64{asking, name, sought})
	}
	all := scorer(0, 10, 1)
	if got := all.Evidence(0, query[0]); got != 0 {
		t.Errorf("a word of asking that no entry has weighs %v", got)
	}
	if got := all.Evidence(1, query[1]); got != nameWeight {
		t.Errorf("a name that every entry has weighs %v", got)
	}
	if all.LacksName() || !scorer(0, 0, 1).LacksName() {
		t.Error("LacksName is wrong")
	}
	if some := scorer(2, 10, 1); some.Evidence(0, query[0]) != some.Weight(0) {
		t.Errorf("a word of asking that entries have weighs %v", some.Evidence(0, query[0]))
	}
	if got := all.Coverage([]int{0, 1, 0}, 10); got <= 0 || got >= 1 {
		t.Errorf("coverage %v", got)
	}
	if got := all.Coverage([]int{0, 3, 3}, 10); got < all.Coverage([]int{0, 1, 1}, 10) || got > 1 {
		t.Errorf("coverage %v", got)
	}
	only := NewScorer(Stats{Documents: 10, Length: 100}, query[:1], []int64{0})
	if only.Evidence(0, query[0]) == 0 || only.Coverage([]int{0}, 10) != 0 || only.LacksName() {
		t.Error("a query that asks for nothing else has its weights")
	}
	if got := NewScorer(Stats{}, nil, nil).Coverage(nil, 0); got != 0 {
		t.Errorf("a query without terms: coverage %v", got)
	}
}

func TestHasWords(t *testing.T) {
	for text, want := range map[string]bool{"": false, " ?!…。\n": false, "a": true, "7": true, "猫": true, "กา": true, "🎉": true, "---": false} {
		if got := HasWords(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
