package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Text styles on a terminal, as parameters of the escape sequence SGR.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

// inStyle returns text in a style; "" is none.
func inStyle(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// labelStyle returns the style of a label: a higher label is more prominent.
func labelStyle(label string) string {
	switch label {
	case "INTERNAL":
		return blue
	case "CONFIDENTIAL":
		return yellow
	case "RESTRICTED":
		return red
	}
	return faint
}

// always returns a function that returns style for every text.
func always(style string) func(string) string { return func(string) string { return style } }

// column is a column of a table.
type column struct {
	heading string
	style   func(cell string) string // nil: none
	right   bool                     // for numbers
}

// table prints rows in aligned columns. On a terminal it begins with a row of headings, has
// styles, and truncates the last column to the width; otherwise it prints only the rows,
// untruncated.
type table struct {
	out      io.Writer
	columns  []column
	rows     [][]string
	terminal bool
	styled   bool
	width    int // of the terminal; 0: unknown
}

// newTable returns a table on the standard output. If the first heading is empty, no
// headings are printed.
func (p *program) newTable(columns ...column) *table {
	t := &table{out: p.out, columns: columns, terminal: onTerminal(p.out), styled: styled(p.out)}
	if file, ok := p.out.(*os.File); ok && t.terminal {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			t.width = width
		}
	}
	return t
}

// headed reports whether the table begins with headings.
func (t *table) headed() bool { return t.terminal && t.columns[0].heading != "" }

// add adds a row. Cells must be plain text.
func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// flush prints the rows, and the headings if there are rows.
func (t *table) flush() error {
	rows := t.rows
	t.rows = nil
	if len(rows) == 0 {
		return nil
	}
	headings := make([]string, len(t.columns))
	for i, c := range t.columns {
		headings[i] = c.heading
	}
	headed := t.headed()
	widths := make([]int, len(t.columns))
	for i := range t.columns {
		if headed {
			widths[i] = uniseg.StringWidth(headings[i])
		}
		for _, row := range rows {
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
	}
	var text strings.Builder
	if headed {
		t.write(&text, headings, widths, always(bold))
	}
	for _, row := range rows {
		t.write(&text, row, widths, nil)
	}
	_, err := io.WriteString(t.out, text.String())
	return err
}

// write writes a row. Its cells have the styles of their columns, or the style all if it is
// not nil.
func (t *table) write(text *strings.Builder, cells []string, widths []int, all func(string) string) {
	last, used := len(cells)-1, 0
	for i, cell := range cells {
		right := t.columns[i].right && t.headed()
		if i == last && !right && t.headed() && t.width > 0 {
			cell = cutTo(cell, max(t.width-used, 20))
		}
		padding := strings.Repeat(" ", max(0, widths[i]-uniseg.StringWidth(cell)))
		used += widths[i] + 2
		style := t.columns[i].style
		if all != nil {
			style = all
		}
		shown := cell
		if t.styled && style != nil {
			shown = inStyle(style(cell), cell)
		}
		switch {
		case right:
			shown = padding + shown
		case i < last:
			shown += padding
		}
		if i < last {
			shown += "  "
		}
		text.WriteString(shown)
	}
	text.WriteString("\n")
}

// cutTo truncates text to a width in terminal columns.
func cutTo(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	var cut strings.Builder
	used := 0
	for graphemes := uniseg.NewGraphemes(text); graphemes.Next(); {
		if used += graphemes.Width(); used >= width {
			break
		}
		cut.WriteString(graphemes.Str())
	}
	return cut.String() + "…"
}

// with returns a value with its unit. On a terminal it omits the unit, which the heading
// names.
func (t *table) with(value any, unit string) string {
	if t.terminal {
		return fmt.Sprint(value)
	}
	return fmt.Sprint(value, " ", unit)
}
