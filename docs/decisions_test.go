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
	maxWords         = 36_000
)

var (
	decisionTitle  = regexp.MustCompile(`^# (\d{4}): (.+)\n`)
	decisionStatus = regexp.MustCompile(`\n\nStatus: ((?s:.+?))\n\n`)
	decisionIndex  = regexp.MustCompile(`(?m)^- \[(\d{4})\]\(([^)]+)\): (.+)$`)
	decisionNumber = regexp.MustCompile(`\b\d{4}\b`)
)

// decisions returns the paths of all decisions, in their order.
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

// The index repeats each decision's title, and of its status what is more than accepted.
func TestTheIndexHasEveryDecision(t *testing.T) {
	lines := make(map[string]string)
	for _, found := range decisionIndex.FindAllStringSubmatch(read(t, "decisions/README.md"), -1) {
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
		_, rest, _ = strings.Cut(rest, " (")
		inIndex, _, _ := strings.Cut(rest, ")")
		superseded := strings.HasPrefix(status[1], "superseded")
		switch {
		case line == "":
			t.Errorf("the index lacks %s", path)
		case !found:
			t.Errorf("%s: the index has another title: %s", path, line)
		case strings.HasPrefix(inIndex, "superseded") != superseded || !slices.Equal(related(inIndex), related(status[1])):
			t.Errorf("%s: the index has another status: %s", path, inIndex)
		}
	}
}

// related returns the numbers of the decisions that a status names, in order.
func related(status string) []string {
	numbers := decisionNumber.FindAllString(link.ReplaceAllString(status, "]"), -1)
	slices.Sort(numbers)
	return numbers
}

// wordsOf returns how many words the documents have together.
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
