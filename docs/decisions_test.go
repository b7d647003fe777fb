package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const (
	maxDecisionWords = 400
	maxWords         = 30_000
)

var (
	decisionTitle  = regexp.MustCompile(`^# (\d{4}): (.+)\n`)
	decisionStatus = regexp.MustCompile(`\n\nStatus: ((?s:.+?))\n\n`)
	decisionIndex  = regexp.MustCompile(`(?m)^- \[(\d{4})\]\(([^)]+)\): (.+)$`)
	decisionNumber = regexp.MustCompile(`\b\d{4}\b`)
)

// decisions returns the paths of all decisions, in order.
func decisions(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("decisions/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 60 {
		t.Fatalf("only %d decisions found", len(paths))
	}
	return paths
}

func TestDecisionsAreShortAndHaveAStatus(t *testing.T) {
	numbers := make(map[string]string)
	for _, path := range decisions(t) {
		text := read(t, path)
		title := decisionTitle.FindStringSubmatch(text)
		if title == nil || title[1] != filepath.Base(path)[:4] {
			t.Errorf("%s: its title does not begin with its number, such as # 0001: Title", path)
			continue
		}
		if other, taken := numbers[title[1]]; taken {
			t.Errorf("%s and %s share a number", other, path)
		}
		numbers[title[1]] = path
		status := decisionStatus.FindStringSubmatch(text)
		if status == nil || !strings.HasPrefix(status[1], "accepted") && !strings.HasPrefix(status[1], "superseded by [") {
			t.Errorf("%s: no status line, such as Status: accepted", path)
		}
		if words := len(strings.Fields(text)); words > maxDecisionWords {
			t.Errorf("%s: %d words, at most %d are allowed", path, words, maxDecisionWords)
		}
	}
}

// The index repeats each decision's title. Superseded decisions are in its last section,
// which is not read by default, with the decisions that replaced them.
func TestTheIndexHasEveryDecision(t *testing.T) {
	lines := make(map[string]string)
	index := read(t, "decisions/README.md")
	_, last, _ := strings.Cut(index, "\n## Superseded\n")
	for _, found := range decisionIndex.FindAllStringSubmatch(index, -1) {
		number, file, line := found[1], found[2], found[3]
		if lines[file] != "" {
			t.Errorf("the index has %s twice", file)
		}
		if !strings.HasPrefix(file, number) {
			t.Errorf("the index calls %s %s", file, number)
		}
		lines[file] = line
	}
	for _, path := range decisions(t) {
		text, line := read(t, path), lines[filepath.Base(path)]
		title, status := decisionTitle.FindStringSubmatch(text), decisionStatus.FindStringSubmatch(text)
		if title == nil || status == nil {
			continue // TestDecisionsAreShortAndHaveAStatus says so
		}
		rest, found := strings.CutPrefix(line, title[2])
		by, marked := strings.CutPrefix(rest, " (superseded by ")
		superseded := strings.HasPrefix(status[1], "superseded")
		switch {
		case line == "":
			t.Errorf("the index lacks %s", path)
		case !found:
			t.Errorf("%s: the index has another title: %s", path, line)
		case marked != superseded || marked && !slices.Equal(related(by), related(status[1])):
			t.Errorf("%s: the index has another status: %s", path, rest)
		case strings.Contains(last, "("+filepath.Base(path)+")") != superseded:
			t.Errorf("%s: the index has it in the wrong section", path)
		}
	}
}

// A replacement decision is in force, and not superseded itself.
func TestSupersededDecisionsLeadToOneThatHolds(t *testing.T) {
	for _, path := range decisions(t) {
		status := decisionStatus.FindStringSubmatch(read(t, path))
		if status == nil || !strings.HasPrefix(status[1], "superseded") {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(status[1], -1) {
			next := decisionStatus.FindStringSubmatch(read(t, filepath.Join("decisions", found[1])))
			if next == nil || !strings.HasPrefix(next[1], "accepted") {
				t.Errorf("%s: %s does not hold either", path, found[1])
			}
		}
	}
}

// related returns the numbers of the decisions that a status names, in order.
func related(status string) []string {
	numbers := decisionNumber.FindAllString(link.ReplaceAllString(status, "]"), -1)
	slices.Sort(numbers)
	return numbers
}

// wordsOf returns the total number of words in the documents.
func wordsOf(t *testing.T) int {
	t.Helper()
	paths := []string{"../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../SECURITY.md"}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	words := 0
	for _, path := range paths {
		for _, field := range strings.Fields(read(t, path)) {
			if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				words++ // the lines of tables are none
			}
		}
	}
	return words
}

func TestDocumentsAreShort(t *testing.T) {
	if words := wordsOf(t); words > maxWords {
		t.Errorf("all documents together have %d words, at most %d are allowed", words, maxWords)
	}
}
