package foldersync

import (
	"context"
	"slices"

	"mneme/markdown"
	"mneme/memory"
)

// resolve retains both versions of notes that changed on both sides.
func (p *pass) resolve(ctx context.Context) error {
	found, err := p.read(ctx, p.conflicts)
	if err != nil {
		return err
	}
	for _, path := range p.conflicts {
		name := p.files[path]
		old, err := p.folder.read(name)
		switch {
		case err != nil:
			if err := p.failed(name, err); err != nil {
				return err
			}
			continue
		case found[path] == nil, old == nil, sumOf(old) != p.listing.files[name].sum:
			p.pending = true
			continue
		}
		if err := p.keepBoth(path, name, found[path].Entry, old); err != nil {
			return err
		}
	}
	return nil
}

// keepBoth writes an entry to its file, and moves the file to a conflict file if its
// content differs.
func (p *pass) keepBoth(path memory.Path, name string, e *memory.Entry, old []byte) error {
	note, problems := markdown.ParsePlain(name, old, p.options.Zone)
	note.Namespace, note.Name = path.Namespace, path.Key
	_, known := p.state.Files[name]
	if len(problems) == 0 && !known && saysNothingElse(note, markdown.NoteOf(e)) {
		return p.put(name, e, old)
	}
	kept, err := p.folder.setAside(name)
	if err != nil {
		return p.failed(name, err)
	}
	p.done(Event{Kind: Conflict, File: name, Reason: kept})
	if _, err := p.write(name, e, nil, old); err != nil { // the next pass writes it
		return p.failed(name, err)
	}
	return nil
}

// saysNothingElse reports whether a file that has not been synchronized yet has the text
// of an entry, and no field that contradicts it.
func saysNothingElse(n, entry markdown.Note) bool {
	given := func(field string) bool { return n.Lines[field] > 0 }
	for _, tag := range n.Tags {
		if !slices.Contains(entry.Tags, tag) {
			return false
		}
	}
	full := entry
	if given("type") {
		full.Type = n.Type
	}
	if given("description") {
		full.Description = n.Description
	}
	if given("expires_at") {
		full.ExpiresAt = n.ExpiresAt
	}
	if given("occurred_at") {
		full.OccurredAt = n.OccurredAt
	}
	full.Value, full.Encrypted, full.InContext = n.Value, n.Encrypted, n.InContext
	return digest(full) == digest(entry)
}
