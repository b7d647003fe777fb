package main

import (
	"strings"
	"testing"
)

func testTable(out *strings.Builder, width int, terminal, styled bool) *table {
	return &table{out: out, width: width, terminal: terminal, styled: styled, columns: []column{
		{heading: "KEY", style: always(bold)}, {heading: "HITS", right: true}, {heading: "LABEL", style: labelStyle}, {heading: "VALUE"},
	}}
}

func TestTablesHaveHeadingsOnlyOnATerminal(t *testing.T) {
	for _, c := range []struct {
		name     string
		width    int
		terminal bool
		want     string
	}{
		{"pipe", 0, false, "tea   7 hits    PUBLIC      green, and never after five\n日本  100 hits  RESTRICTED  short\n"},
		{"terminal", 80, true, "KEY   HITS  LABEL       VALUE\ntea      7  PUBLIC      green, and never after five\n日本   100  RESTRICTED  short\n"},
		{"narrow", 44, true, "KEY   HITS  LABEL       VALUE\ntea      7  PUBLIC      green, and never af…\n日本   100  RESTRICTED  short\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			table := testTable(&out, c.width, c.terminal, false)
			table.add("tea", table.with(7, "hits"), "PUBLIC", "green, and never after five")
			table.add("日本", table.with(100, "hits"), "RESTRICTED", "short")
			if err := table.flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), c.want)
			}
		})
	}
}

func TestStylesOfATableDoNotMoveItsColumns(t *testing.T) {
	var out strings.Builder
	table := testTable(&out, 80, true, true)
	table.add("tea", "7", "PUBLIC", "green")
	table.add("lamp", "10", "RESTRICTED", "off")
	if err := table.flush(); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[1mKEY\x1b[0m   \x1b[1mHITS\x1b[0m  \x1b[1mLABEL\x1b[0m       \x1b[1mVALUE\x1b[0m\n" +
		"\x1b[1mtea\x1b[0m      7  \x1b[2mPUBLIC\x1b[0m      green\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
	if !strings.Contains(out.String(), "  10  \x1b[31mRESTRICTED\x1b[0m") {
		t.Errorf("got\n%q", out.String())
	}
}

func TestATableWithoutRowsPrintsNothing(t *testing.T) {
	var out strings.Builder
	if err := testTable(&out, 80, true, true).flush(); err != nil || out.Len() != 0 {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for text, want := range map[string]string{"abcdef": "abc…", "abcd": "abcd", "日本語": "日…", "e\u0301e\u0301e\u0301e\u0301e\u0301": "e\u0301e\u0301e\u0301…"} {
		if got := cutTo(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
