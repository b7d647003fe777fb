package foldersync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"mneme/internal/system"
	"mneme/markdown"
	"mneme/memory"
)

// download writes changed entries to their files.
func (p *pass) download(ctx context.Context) error {
	for paths := p.downloads; len(paths) > 0; {
		some := paths[:min(readAtOnce, len(paths))]
		paths = paths[len(some):]
		found, err := p.read(ctx, some)
		if err != nil {
			return err
		}
		for _, path := range some {
			if err := ctx.Err(); err != nil {
				return err
			}
			if found[path] == nil {
				p.pending = true
				continue
			}
			if err := p.fetch(path, found[path].Entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetch writes an entry to its file.
func (p *pass) fetch(path memory.Path, e *memory.Entry) error {
	name, ok := p.files[path]
	if !ok {
		// A second file would take the key from the one that is still changing.
		if p.isChanging(path) {
			p.pending = p.pending || p.listing.unsettled
			return nil
		}
		var err error
		if name, err = markdown.FreeFile(path.Namespace, path.Key, p.taken); err != nil {
			return err
		}
		name = p.spelled(name)
	}
	if p.listing.isUnknown(name) {
		if p.listing.isLinked(name) {
			p.problem(name, 0, linked)
		}
		p.pending = p.pending || p.listing.unsettled
		return nil
	}
	old, err := p.folder.read(name)
	if err != nil {
		return p.failed(name, err)
	}
	here := p.listing.files[name]
	switch {
	case here != nil && (old == nil || sumOf(old) != here.sum), here == nil && old != nil && ok:
		p.pending = true // it has changed since it was listed
		return nil
	case old != nil && here == nil: // written by an interrupted pass, or by another program
		return p.keepBoth(path, name, e, old)
	}
	return p.put(name, e, old)
}

// isChanging reports whether a file that is still changing, or is stored elsewhere, may
// have this path.
func (p *pass) isChanging(path memory.Path) bool {
	if p.changing == nil {
		p.changing = make(markdown.Files)
		for name, reason := range p.listing.unknown {
			if _, known := p.state.Files[name]; known || reason != "" && reason != away || !isNote(name) {
				continue
			}
			if _, isLeft := p.left[name]; isLeft { // it has one path, which is known
				continue
			}
			note, _ := markdown.ParsePlain(name, nil, p.options.Zone) // the path of its name
			p.changing.Add(markdown.FileName(note.Namespace, note.Name))
			p.changing.Add(name) // its fields may give another path
		}
	}
	for _, left := range p.left {
		if left == path {
			return true
		}
	}
	return p.changing.Hold(path.Namespace, path.Key)
}

// taken reports whether a file of the folder has a name, folded as file systems compare
// names.
func (p *pass) taken(folded string) bool {
	if p.fold == nil {
		p.fold = make(map[string]bool)
		for _, names := range [][]string{slices.Collect(maps.Keys(p.listing.files)), slices.Collect(maps.Keys(p.state.Files)), slices.Collect(maps.Keys(p.listing.unknown))} {
			for _, name := range names {
				p.fold[markdown.Fold(name)] = true
			}
		}
	}
	return p.fold[folded]
}

// hasOther reports whether the folder has another file whose name differs only in case.
func (p *pass) hasOther(name string) bool {
	own := markdown.Fold(name)
	for other := range p.listing.files {
		if other != name && markdown.Fold(other) == own {
			return true
		}
	}
	for other := range p.listing.unknown {
		if other != name && markdown.Fold(other) == own {
			return true
		}
	}
	return false
}

// put writes an entry to a file with the contents old; nil: the file does not exist.
func (p *pass) put(name string, e *memory.Entry, old []byte) error {
	kept, err := p.write(name, e, old, old)
	switch {
	case err != nil:
		return p.failed(name, err)
	case kept != "":
		p.done(Event{Kind: Conflict, File: name, Reason: kept})
	default:
		p.done(Event{Kind: Downloaded, File: name})
	}
	return nil
}

// write writes an entry to a file like put, but reports nothing. The file gets the encoding
// and the line ends of the text style. kept is the conflict file with the contents that
// another program wrote meanwhile.
func (p *pass) write(name string, e *memory.Entry, old, style []byte) (kept string, err error) {
	note := markdown.NoteOf(e)
	text, err := markdown.RenderPlain(name, note, style)
	if err != nil {
		return "", err
	}
	switch {
	case old == nil:
		err = p.folder.create(name, text)
	case bytes.Equal(old, text):
	default:
		kept, err = p.folder.replace(name, text, sumOf(old))
	}
	if err != nil {
		return "", err
	}
	p.files[e.Path] = name
	if p.fold != nil {
		p.fold[markdown.Fold(name)] = true
	}
	p.state.Files[name] = newBase(note, e.ID.String(), sumOf(text), digest(note), digest(note))
	delete(p.missing, name)
	return kept, nil
}

// failed reports an error of one file. It returns errors that affect other files too.
func (p *pass) failed(name string, err error) error {
	switch {
	case errors.Is(err, errChanged):
		p.pending = true
		return nil
	case system.IsDiskFull(err), system.IsReadOnly(err):
		return fmt.Errorf("%s: %w", name, err)
	}
	reason := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = "cannot be written: " + pathErr.Err.Error()
	}
	p.problem(name, 0, reason)
	return nil
}
