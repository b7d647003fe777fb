// Package docs_test checks the documentation against the repository: relative
// links lead to files and headings that exist, and messages that the
// documentation quotes are messages of the program.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const root = ".."

// files returns the paths of all files in the repository with the extension,
// without folders of dependencies and version control.
func files(t *testing.T, extension string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules" || entry.Name() == ".venv"):
			return filepath.SkipDir
		case !entry.IsDir() && filepath.Ext(path) == extension:
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
)

func TestRelativeLinksLeadSomewhere(t *testing.T) {
	for _, page := range files(t, ".md") {
		text := code.ReplaceAllString(fence.ReplaceAllString(read(t, page), ""), "")
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if scheme.MatchString(target) {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s does not exist", page, found[1])
				continue
			}
			if anchor != "" && !anchors(read(t, path))[anchor] {
				t.Errorf("%s: %s has no heading #%s", page, path, anchor)
			}
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them:
// lower case, spaces to dashes, no punctuation.
func anchors(text string) map[string]bool {
	all := make(map[string]bool)
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, found[1])] = true
	}
	return all
}

// The troubleshooting table quotes messages as the program prints them: operators search
// the pages for the message that they see.
func TestTheTroubleshootingTableQuotesTheProgram(t *testing.T) {
	var source strings.Builder
	for _, path := range files(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			source.WriteString(read(t, path))
		}
	}
	table := read(t, "operating/troubleshooting.md")
	quoted := regexp.MustCompile(`"([a-z][^"]{7,})"`)
	count := 0
	for row := range strings.Lines(table) {
		symptom := strings.SplitN(row, " | ", 2)[0]
		for _, found := range quoted.FindAllStringSubmatch(symptom, -1) {
			if found[1] == "unhealthy" || found[1] == "invalid Host header" {
				continue // Docker's word, and a message of the MCP library
			}
			count++
			for _, part := range strings.Split(found[1], "…") {
				if part = strings.Trim(part, " :"); !strings.Contains(source.String(), part) {
					t.Errorf("no message of the program contains %q", part)
				}
			}
		}
	}
	if count < 5 {
		t.Errorf("only %d messages found", count)
	}
}
