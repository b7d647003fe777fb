package docs_test

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// CHANGELOG.md has the form of keepachangelog.com: releases cut their notes from it.
func TestTheChangelogHasItsForm(t *testing.T) {
	f, err := os.Open("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	release := regexp.MustCompile(`^## (\d+)\.(\d+)\.(\d+)(-[a-z]+\.\d+)? - (\d{4}-\d{2}-\d{2})$`)
	kinds := []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	var before []int // the version above
	var seen []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		switch found := release.FindStringSubmatch(line); {
		case line == "## Unreleased":
			if before != nil {
				t.Errorf("line %d: what is unreleased comes first", n)
			}
			seen = nil
		case found != nil:
			if _, err := time.Parse(time.DateOnly, found[5]); err != nil {
				t.Errorf("line %d: %v", n, err)
			}
			var version []int
			for _, digits := range found[1:4] {
				number, err := strconv.Atoi(digits)
				if err != nil {
					t.Errorf("line %d: %v", n, err)
				}
				version = append(version, number)
			}
			if before != nil && slices.Compare(version, before) > 0 {
				t.Errorf("line %d: newer than the version above", n)
			}
			before, seen = version, nil
		case strings.HasPrefix(line, "## "):
			t.Errorf("line %d: neither Unreleased nor a version and its day, such as 1.2.3 - 2026-01-31", n)
		case strings.HasPrefix(line, "### "):
			kind := strings.TrimPrefix(line, "### ")
			if !slices.Contains(kinds, kind) || slices.Contains(seen, kind) {
				t.Errorf("line %d: %q is no kind of change, or there twice", n, kind)
			}
			seen = append(seen, kind)
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
}
