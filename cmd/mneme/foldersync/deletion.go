package foldersync

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/memory"
)

// trash deletes the entries of deleted files.
func (p *pass) trash(ctx context.Context) error {
	count := 0
	for _, path := range p.trashed {
		if !p.paired[p.files[path]] {
			count++
		}
	}
	if p.tooMany(count) {
		p.tooManyGone(count)
		return nil
	}
	found, err := p.read(ctx, p.trashed)
	if err != nil {
		return err
	}
	for paths := p.trashed; len(paths) > 0; {
		some := paths[:min(writeAtOnce, len(paths))]
		paths = paths[len(some):]
		if err := p.deleteEntries(ctx, some, found); err != nil {
			return err
		}
	}
	return nil
}

// deleteEntries deletes the entries of deleted files.
func (p *pass) deleteEntries(ctx context.Context, paths []memory.Path, found map[memory.Path]*Found) error {
	var writes []Write
	for _, path := range paths {
		now := found[path]
		if now == nil || !remoteOf(now.Entry).is(p.state.Files[p.files[path]]) {
			p.pending = true
			continue
		}
		writes = append(writes, Write{Put: memory.PutRequest{Path: path}, ETag: now.ETag, Delete: true})
	}
	outcomes, err := p.store.Write(ctx, writes)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		path := writes[n].Put.Path
		name := p.files[path]
		switch {
		case o.Changed:
			p.pending = true
		case o.Refused != "":
			p.problem(name, 0, "was deleted here, and is back: "+o.Refused)
			if _, err := p.write(name, found[path].Entry, nil, nil); err != nil {
				return p.failed(name, err)
			}
		default:
			delete(p.remote, path)
			if !p.paired[name] {
				p.deleted = append(p.deleted, p.now())
			}
			p.remember(name, found[path].Entry.Value)
			p.forget(name)
			p.done(Event{Kind: Trashed, File: name})
		}
	}
	return nil
}

// remove moves the files of deleted entries to the folder's trash.
func (p *pass) remove(context.Context) error {
	if p.tooMany(len(p.removed)) {
		p.problem("", 0, fmt.Sprintf("%d of %d entries are gone: their files are kept; if that is meant, use --force", len(p.removed), len(p.state.Files)))
		return nil
	}
	for _, name := range p.removed {
		if err := p.folder.remove(name, p.listing.files[name].sum); err != nil {
			if err := p.failed(name, err); err != nil {
				return err
			}
			continue
		}
		p.remember(name, p.listing.files[name].note.Value)
		p.forget(name)
		p.deleted = append(p.deleted, p.now())
		p.done(Event{Kind: Removed, File: name})
	}
	return nil
}

// A large share of the files is more than fewDeletions within deletionWindow, and more than
// one in deletedShare of all files; or all files, if there is more than one.
const (
	fewDeletions   = 5
	deletedShare   = 4
	deletionWindow = time.Minute
)

// tooMany reports whether count deletions, together with recent ones, are a large share of
// all files.
func (p *pass) tooMany(count int) bool {
	if count == 0 || p.options.Force {
		return false
	}
	p.deleted = slices.DeleteFunc(p.deleted, func(at time.Time) bool { return p.now().Sub(at) > deletionWindow })
	all, gone := len(p.state.Files)+len(p.deleted), count+len(p.deleted)
	return gone > fewDeletions && gone*deletedShare > all || count > 1 && count == len(p.state.Files)
}
