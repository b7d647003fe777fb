package origin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"mneme/cmd/mneme/importer"
	"mneme/markdown"
	"mneme/memory"
)

// Markdown is the name of the system whose exports are any folders of Markdown files, such
// as an Obsidian vault or a wiki.
const Markdown = "markdown"

// notes reads a plain folder of Markdown files: each file is an entry, see
// markdown.ParsePlain.
type notes struct {
	zone   *time.Location
	inline bool // whether the texts have #tags, as in Obsidian
}

// maxPage is the size of the largest value of a single entry, in bytes of JSON: the
// service's default limit on values.
const maxPage = 100_000

// member excludes the index of an exported folder, and its deleted entries.
func (notes) member(file string) bool {
	if file == markdown.IndexFile || strings.HasPrefix(file, markdown.TrashFolder+"/") {
		return false
	}
	return isNote(file)
}

func isNote(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// folder inspects the folder before its files are read.
func (n *notes) folder(files fs.FS) {
	info, err := fs.Stat(files, ".obsidian")
	n.inline = err == nil && info.IsDir()
}

// leftOut returns the kind under which an unread file is counted.
func (notes) leftOut(file string, entry fs.DirEntry) string {
	switch {
	case file == markdown.IndexFile:
		return file
	case strings.HasPrefix(file, markdown.TrashFolder+"/"):
		return "in " + markdown.TrashFolder
	case !entry.Type().IsRegular():
		return "links"
	case path.Ext(file) == "":
		return "without extension"
	}
	return strings.ToLower(path.Ext(file))
}

func (n *notes) read(file string, in io.Reader, out output) error {
	whole := item{line: 1}
	text, err := readWhole(in)
	switch {
	case errors.Is(err, errTooLarge):
		return out(whole.refuse(err))
	case err != nil:
		return err
	case file == "-":
		return out(whole.refuse(errors.New("has no name: give a file or a folder")))
	case len(strings.TrimSpace(string(text))) == 0:
		return out(whole.refuse(skipped(emptyNote)))
	}
	note, problems := markdown.ParsePlain(file, text, n.zone)
	for _, p := range problems {
		if err := out(item{line: p.Line}.refuse(errors.New(p.Reason))); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return nil
	}
	if n.inline {
		note.Tags = withInline(note.Tags, string(text))
	}
	warned := out
	if reason := markdown.UnreadFrontmatter(text); reason != "" {
		warned = func(line importer.Line) error { // attach the reason to the first line
			if reason != "" {
				line.Notes, reason = append(line.Notes, reason), ""
			}
			return out(line)
		}
	}
	if len(note.Value) <= maxPage {
		return warned(lineOf(note))
	}
	return pages(note, warned)
}

// emptyNote is the reason why a file without text is left out.
const emptyNote = "empty"

// lineOf returns the write of a note. It sets every field, so that a field that the file
// no longer has is cleared.
func lineOf(n markdown.Note) importer.Line {
	tags := append([]string{}, n.Tags...)
	if n.Lines["description"] == 0 {
		n.Description = unlike(n.Name, n.Description)
	}
	occurred := n.OccurredAt.String()
	line := importer.Line{Number: 1, Fields: n.Lines, Put: memory.PutRequest{
		Path: memory.Path{Namespace: n.Namespace, Key: n.Name}, Value: n.Value,
		Type: &n.Type, Description: &n.Description, Tags: &tags,
		InContext: &n.InContext, Encrypted: &n.Encrypted, OccurredAt: &occurred,
	}}
	if n.ExpiresAt.IsZero() {
		line.Put.TTL = new(time.Duration)
	} else {
		line.Put.ExpiresAt = &n.ExpiresAt
	}
	return line
}

// pages passes a note that is too long for one entry to out, in parts: KEY/001 and so on,
// each with the sections that fit into it.
func pages(n markdown.Note, out output) error {
	text, ok := markdown.Text(n.Value)
	if !ok || n.Encrypted {
		return out(lineOf(n))
	}
	parts := atHeadings(text, maxPart)
	key, title := n.Name, n.Description
	for i, part := range parts {
		n.Name, n.Value, n.Description = fmt.Sprintf("%s/%03d", key, i+1), markdown.Value(part), title
		if heading := headingOf(part); i > 0 && heading != "" {
			n.Description = markdown.Headline(strings.TrimPrefix(title+": "+heading, ": "))
		}
		line := lineOf(n)
		line.Part = true
		if i == 0 {
			line.Notes = []string{fmt.Sprintf("is too long for one entry: imported in %d parts, from %s/001", len(parts), path.Base(key))}
		}
		if err := out(line); err != nil {
			return err
		}
	}
	return nil
}

var (
	heading   = regexp.MustCompile(`^#{1,6} +(.*\S)`)
	codeFence = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// headingOf returns the heading at the start of a text; "" if there is none.
func headingOf(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if found := heading.FindStringSubmatch(first); found != nil {
		return strings.TrimRight(found[1], "# ")
	}
	return ""
}

// atHeadings splits a text before headings into parts of at most limit bytes of JSON. It
// splits a longer section between lines or words.
func atHeadings(text string, limit int) []string {
	var sections []string
	began := 0
	eachLine(text, func(at int, line string, code bool) {
		if !code && at > began && heading.MatchString(line) {
			sections, began = append(sections, text[began:at]), at
		}
	})
	sections = append(sections, text[began:])
	var parts []string
	part := ""
	for _, section := range sections {
		if part != "" && jsonSize(part)+jsonSize(section) > limit {
			parts, part = append(parts, cut(part, limit)...), ""
		}
		part += section
	}
	return append(parts, cut(part, limit)...)
}

// eachLine calls yield for each line of a text with its offset, and whether the line is in
// a fenced code block.
func eachLine(text string, yield func(at int, line string, code bool)) {
	at, fence := 0, ""
	for line := range strings.Lines(text) {
		found := codeFence.FindStringSubmatch(line)
		yield(at, line, fence != "" || found != nil)
		switch {
		case found == nil:
		case fence == "":
			fence = found[1]
		case strings.HasPrefix(found[1], fence):
			fence = ""
		}
		at += len(line)
	}
}

// inlineTag matches a tag in the text in Obsidian's syntax: letters, digits, _, - and /
// after #, which follows white space. https://obsidian.md/help/tags
var inlineTag = regexp.MustCompile(`(?:^|\s)#([\p{L}\p{N}\p{M}_/-]+)`)

var codeSpan = regexp.MustCompile("`+[^`]*`+")

// withInline returns tags and the tags in a text, up to an entry's limit. A tag has at
// least one character that is not a digit; code has no tags.
func withInline(tags []string, text string) []string {
	eachLine(text, func(_ int, line string, code bool) {
		if code {
			return
		}
		for _, found := range inlineTag.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "`"), -1) {
			tag := markdown.OneLine(strings.Trim(found[1], "/"))
			if strings.Trim(tag, "0123456789") == "" || slices.Contains(tags, tag) {
				continue
			}
			if more := append(slices.Clone(tags), tag); memory.CheckTags(more) == nil {
				tags = more
			}
		}
	})
	return tags
}
