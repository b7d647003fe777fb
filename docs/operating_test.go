package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"mneme/docs"
)

// The console links to sections of the operator's guide by their anchors.
func TestTheOperatorsPagesShareNoHeading(t *testing.T) {
	text := fence.ReplaceAllString(string(docs.Operating()), "")
	headings := heading.FindAllString(text, -1)
	if named := anchors(text); len(named) != len(headings) || len(headings) < 20 {
		t.Errorf("%d headings have %d anchors", len(headings), len(named))
	}
	count := 0
	for _, path := range files(t, ".md") {
		if strings.Contains(path, "/operating/") {
			count++
			if !strings.Contains(string(docs.Operating()), read(t, path)) {
				t.Errorf("the program's page lacks %s", path)
			}
		}
	}
	if count < 5 {
		t.Errorf("only %d pages found", count)
	}
}

// Each console message about a problem links to a section, or to a row of its table.
func TestTheConsoleNamesSectionsOfTheOperatorsPages(t *testing.T) {
	page := string(docs.Operating())
	named := anchors(page)
	sections := regexp.MustCompile(`section: "([^"]+)"(?:, row: (?:"([^"]+)"|'([^']+)'))?`)
	found := sections.FindAllStringSubmatch(read(t, "../console/src/lib/health.ts"), -1)
	for _, each := range found {
		section, row := each[1], each[2]+each[3]
		if !named[section] {
			t.Errorf("there is no section %s", section)
		}
		has := row == ""
		for line := range strings.Lines(page) {
			has = has || strings.HasPrefix(line, "|") && strings.Contains(strings.ReplaceAll(line, "`", ""), row)
		}
		if !has {
			t.Errorf("section %s has no row of %s", section, row)
		}
	}
	if len(found) < 10 {
		t.Errorf("only %d sections found", len(found))
	}
}
