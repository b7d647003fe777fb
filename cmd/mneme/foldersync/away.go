package foldersync

import (
	"context"
	"slices"
	"strings"
	"time"

	"mneme/markdown"
	"mneme/memory"
)

// shorterFor is how long a file of a watched folder that contains only the beginning of
// its text is left alone: a program may be writing or downloading it.
const shorterFor = time.Minute

// emptied is the reason why an emptied file is not synchronized: programs leave such files
// when they store the contents elsewhere, and full disks do too.
const emptied = "is empty, and its entry is kept: delete the file if the entry is to go"

// holdPartial excludes files that lost their text, or its end, from the pass, since they
// may not have been edited.
func (p *pass) holdPartial(ctx context.Context) error {
	var paths []memory.Path
	names := make(map[memory.Path]string)
	before := p.shorter
	p.shorter = make(map[string]shorter)
	for name, base := range p.state.Files {
		here := p.listing.files[name]
		if here == nil || here.sum == base.File {
			continue
		}
		if path := base.path(p.options.Origin.Store); here.isEmpty || p.options.Settle > 0 {
			paths = append(paths, path)
			names[path] = name
		}
	}
	found, err := p.read(ctx, paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		name, now := names[path], found[path]
		here := p.listing.files[name]
		if now == nil {
			continue
		}
		text, isText := markdown.Text(now.Entry.Value)
		if here.isEmpty {
			if !isText || strings.TrimSpace(text) != "" {
				p.hold(name, emptied)
			}
			continue
		}
		if !p.isBeginning(name, now.Entry) {
			continue
		}
		since := before[name]
		if since.sum != here.sum {
			since = shorter{here.sum, p.now()}
		}
		p.shorter[name] = since
		if p.now().Sub(since.at) < shorterFor {
			p.hold(name, "")
			p.pending = true
		}
	}
	return nil
}

// shorter is a file that contains only the beginning of its former text.
type shorter struct {
	sum string
	at  time.Time // since when it has these contents
}

// isBeginning reports whether a file contains the beginning of its entry's text, or of its
// frontmatter.
func (p *pass) isBeginning(name string, e *memory.Entry) bool {
	now, err := p.folder.read(name)
	if err != nil {
		return false
	}
	written, _ := markdown.Decode(now)
	if markdown.HasFrontmatter(written) && !markdown.IsFrontmatterClosed(written) {
		return true
	}
	here := bare(string(written))
	text, _ := markdown.Text(e.Value)
	file, err := markdown.RenderPlain(name, markdown.NoteOf(e), now)
	whole, _ := markdown.Decode(file)
	return err == nil && isCut(here, bare(string(whole))) || isCut(here, bare(text))
}

// isCut reports whether a text is a proper prefix of another.
func isCut(text, whole string) bool { return len(text) < len(whole) && strings.HasPrefix(whole, text) }

// bare returns a text without the characters in which two forms of the same frontmatter may
// differ: white space, quotes, brackets and commas.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n\"'[],", r) {
			return -1
		}
		return r
	}, text)
}

// hold excludes a file from the pass, and reports the reason, if any.
func (p *pass) hold(name, reason string) {
	delete(p.listing.files, name)
	p.listing.unknown[name] = reason
}

// sayOnce reports each file once that is another version of a note, a temporary file, or a
// new file in UTF-16.
func (p *pass) sayOnce() {
	say := func(names []string, reason string) {
		for _, name := range names {
			if e := (Event{Kind: Notice, File: name, Reason: reason}); !p.said[e] {
				p.said[e] = true
				p.say(e)
			}
		}
	}
	var decoded []string
	for name, here := range p.listing.files {
		if _, known := p.state.Files[name]; here.isUTF16 && !known && len(here.problems) == 0 {
			decoded = append(decoded, name)
		}
	}
	slices.Sort(decoded)
	say(decoded, "is UTF-16: it is read and written as such")
	say(p.listing.copies, "is another version of a file, of a conflict: not synchronised")
	say(p.listing.temporary, "is a temporary file: not synchronised")
}
