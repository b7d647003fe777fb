package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mneme/acl"
	"mneme/memory"
)

const (
	// maxLines is the maximum number of lines in a view, from the contract of
	// memory_20250818.
	maxLines = 999_999
	// maxListed bounds the entries that a directory view reads. A store may
	// hold a million, far more than a model can use.
	maxListed = 10_000
	// listDepth is the number of levels in a directory view.
	listDepth = 2
)

// view shows an entry with numbered lines, or lists a directory. If both have
// the name, a path without a trailing slash means the entry.
func (m *memoryCall) view(ctx context.Context) (Result, error) {
	p, err := m.resolve()
	if err != nil {
		return Result{}, err
	}
	if p.stores {
		return m.viewStores(ctx, p)
	}
	if !p.folder {
		found, err := m.get(ctx, p)
		if err == nil {
			return m.viewFile(p, display(found.Value))
		}
		if !errors.Is(err, memory.ErrNotFound) {
			return Result{}, err
		}
	}
	return m.viewDirectory(ctx, p)
}

// viewFile shows the numbered lines of a text. As in the SDKs' own tools a final line
// feed begins a last, empty line, and a range may contain no line.
func (m *memoryCall) viewFile(p resolvedPath, text string) (Result, error) {
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		return Result{}, refuse("File %s exceeds maximum line limit of 999,999 lines.", p.path)
	}
	first, last := 1, len(lines)
	if m.given["view_range"] {
		if len(m.viewRange) != 2 {
			return Result{}, refuse("Error: Invalid `view_range` parameter: it must be two line numbers, [first, last]")
		}
		first = max(first, m.viewRange[0])
		switch to := m.viewRange[1]; {
		case to < -1: // omit lines at the end
			last += to
		case to != -1:
			last = min(last, to)
		}
	}
	part, start, err := m.part.of(text, m.given)
	if err != nil {
		return Result{}, err
	}
	end := start + len(part)
	shown := text[:end]
	if end < len(text) {
		shown = strings.TrimSuffix(shown, "\n") // the line after it is not part of it
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Here's the content of %s with line numbers:", p.path)
	if first > last {
		b.WriteByte('\n')
	}
	next := numberedFrom(&b, m.maxAnswer-len(stoppedNote)-numberRoom, shown, start, first, last)
	if next == 0 && end < endOf(lines, last) {
		next = end
	}
	if next > 0 {
		fmt.Fprintf(&b, stoppedNote, next)
	}
	return Result{Text: b.String()}, nil
}

// endOf returns the offset in the text, in bytes, at which the line with number last ends.
func endOf(lines []string, last int) (end int) {
	for i, line := range lines[:max(0, min(last, len(lines)))] {
		if end += len(line); i > 0 {
			end++
		}
	}
	return end
}

// numberRoom is how much longer, in bytes, a note may become when its numbers are filled in.
const numberRoom = 20

// stoppedNote ends a truncated view.
const stoppedNote = "\n(truncated: true, next_offset: %d)"

// numberedFrom writes the lines first to last of a text, from a byte offset on,
// like numbered, until the builder holds limit bytes. It returns the offset at
// which it stopped, or 0 if it reached the end.
func numberedFrom(b *strings.Builder, limit int, text string, from, first, last int) (next int) {
	start := 0 // of line n
	for i, line := range strings.Split(text, "\n") {
		n, end := i+1, start+len(line)
		if n >= first && n <= last && from <= end {
			at := start
			line = strings.TrimSuffix(line, "\r")
			if from > start {
				rest, skipped, _ := offset(min(from-start, len(line))).from(line) // the offset is within the line
				line, at = rest, start+skipped
			}
			prefix := fmt.Sprintf("\n%6d\t", n)
			room := limit - b.Len() - len(prefix)
			if part := wholeCharacters(line, room); part < len(line) {
				if part > 0 {
					b.WriteString(prefix)
					b.WriteString(line[:part])
				}
				return at + part
			}
			if room < 0 {
				return at
			}
			b.WriteString(prefix)
			b.WriteString(line)
		}
		start = end + 1
	}
	return 0
}

// wholeCharacters returns the length of the longest prefix of text that
// consists of whole characters and has at most limit bytes.
func wholeCharacters(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	limit = max(0, limit)
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return limit
}

// linesOf splits a text into lines. A line feed at the end of the text does not
// begin another line.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numbered formats lines first to last, counted from 1, each preceded by a line
// feed, its number and a tab.
func numbered(lines []string, first, last int) string {
	var b strings.Builder
	for n := max(first, 1); n <= min(last, len(lines)); n++ {
		fmt.Fprintf(&b, "\n%6d\t%s", n, strings.TrimSuffix(lines[n-1], "\r"))
	}
	return b.String()
}

// viewDirectory lists the entries below a path. Only a store's root can be
// empty; other directories exist through their entries.
func (m *memoryCall) viewDirectory(ctx context.Context, p resolvedPath) (Result, error) {
	if !p.top() && len(p.key) >= memory.MaxKey { // any key below it would be too long
		return Result{}, missing(p)
	}
	files, more, err := m.files(ctx, p, maxListed)
	if err != nil {
		return Result{}, err
	}
	if len(files) == 0 && !p.top() {
		return Result{}, missing(p)
	}
	return Result{Text: m.listing(p.path, files, more)}, nil
}

// file is an entry in a directory listing.
type file struct {
	segments []string // relative to the directory
	size     int      // of the displayed value, in bytes
}

// exactSizes bounds the bytes of text that a directory view renders to show how long values are
// for a model. Beyond it, the view shows the length of a value's JSON instead. It counts the
// text, not the values, because indentation can make a value a hundred times as long.
const exactSizes = 16 << 20

// shownSize returns the size of a value in a directory view.
func (m *memoryCall) shownSize(value json.RawMessage) int {
	if m.displayed > exactSizes {
		return len(value)
	}
	size := len(display(value))
	m.displayed += max(size, len(value)) // white space is read but not displayed
	return size
}

// errListed stops the reading of a listing.
var errListed = errors.New("enough is listed")

// files returns the entries below a path, up to a limit; more reports whether
// there are more.
func (m *memoryCall) files(ctx context.Context, p resolvedPath, limit int) (files []file, more bool, err error) {
	r := listBelow(p, 100)
	r.WithoutText = m.displayed > exactSizes
	for {
		next, err := m.service.EachListed(ctx, m.caller, r, func(e memory.Found) error {
			segments := strings.Split(strings.TrimPrefix(e.Key, r.Prefix), "/")
			if p.path == root && segments[0] == shared {
				return nil // below the root, shared/ names stores; see pathOf for this entry's path
			}
			if len(files) == limit {
				return errListed
			}
			size := e.Size
			if e.Value != nil {
				size = m.shownSize(e.Value)
			}
			files = append(files, file{segments, size})
			return nil
		})
		switch {
		case errors.Is(err, errListed):
			return files, true, nil
		case err != nil:
			return nil, false, err
		case next == "":
			return files, false, nil
		}
		r.Cursor, r.WithoutText = next, m.displayed > exactSizes
	}
}

// viewStores lists the accepted shared stores as directories, except stores that the caller may
// search but not read. Below them, if there is room, it lists the models that read each store.
func (m *memoryCall) viewStores(ctx context.Context, p resolvedPath) (Result, error) {
	infos, err := m.service.Stores(ctx, m.caller, "", "")
	if err != nil {
		return Result{}, err
	}
	var all []file
	var models strings.Builder
	more := false
	for _, info := range infos {
		if info.Store == m.caller.Agent || info.Level < acl.Read || info.Unaccepted {
			continue
		}
		if len(all) >= maxListed {
			more = true
			break
		}
		store := resolvedPath{store: info.Store, folder: true, path: p.path + "/" + info.Store}
		files, cut, err := m.files(ctx, store, maxListed-len(all))
		if errors.Is(err, acl.ErrDenied) { // the access ended in the meantime
			continue
		}
		if err != nil {
			return Result{}, err
		}
		more = more || cut
		fmt.Fprintf(&models, "\n(%s: language %s; models: %s)", store.path, info.Reading.Language, strings.Join(info.Models, ", "))
		all = append(all, file{segments: []string{info.Store, ""}}) // the directory itself, which may be empty
		for _, f := range files {
			all = append(all, file{segments: append([]string{info.Store}, f.segments...), size: f.size})
		}
	}
	text := m.listing(p.path, all, more)
	if len(text)+models.Len() <= m.maxAnswer {
		text += models.String()
	}
	return Result{Text: text}, nil
}

// line is one line of a listing.
type line struct {
	segments []string
	folder   bool
	size     int
}

// leftOutNote ends a truncated listing.
const leftOutNote = "\n(truncated: true; %d lines left out; view a subdirectory, or search)"

// listing formats a directory with its files and directories down to listDepth.
// The size of a directory is the sum of its files. Hidden items and
// node_modules are omitted.
func (m *memoryCall) listing(path string, files []file, more bool) string {
	own := 0
	lines := make(map[string]*line)
	for _, f := range files {
		if slices.ContainsFunc(f.segments, hiddenName) {
			continue
		}
		own += f.size
		for depth := 1; depth <= min(len(f.segments), listDepth); depth++ {
			head := f.segments[:depth]
			folder := depth < len(f.segments)
			if !folder && head[depth-1] == "" { // the entry that viewStores adds for the directory itself
				break
			}
			name := strings.Join(head, "/")
			if folder {
				name += "/"
			}
			if lines[name] == nil {
				lines[name] = &line{segments: head, folder: folder}
			}
			lines[name].size += f.size
		}
	}
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := slices.Compare(lines[a].segments, lines[b].segments); c != 0 {
			return c
		}
		return len(a) - len(b) // an entry precedes the folder of the same name
	})
	var b strings.Builder
	fmt.Fprintf(&b, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n%s\t%s", path, sizeOf(own), path)
	for i, name := range names {
		line := fmt.Sprintf("\n%s\t%s/%s", sizeOf(lines[name].size), path, name)
		if b.Len()+len(line) > m.maxAnswer-len(leftOutNote)-numberRoom {
			fmt.Fprintf(&b, leftOutNote, len(names)-i)
			return b.String()
		}
		b.WriteString(line)
	}
	if more {
		fmt.Fprintf(&b, "\n(truncated: true; more than %d entries; view a subdirectory, or search)", maxListed)
	}
	return b.String()
}

func hiddenName(segment string) bool {
	return strings.HasPrefix(segment, ".") || segment == "node_modules"
}

// sizeOf formats a size in units of 1024, with one decimal unless it is whole: 0B, 1K,
// 1.5K, and 1.0K for 1,025 bytes.
func sizeOf(bytes int) string {
	units := []string{"B", "K", "M", "G"}
	size := float64(bytes)
	unit := 0
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	if size == float64(int(size)) {
		return strconv.Itoa(int(size)) + units[unit]
	}
	return fmt.Sprintf("%.1f", size) + units[unit]
}
