package foldersync

import (
	"context"
	"maps"
	"path"
	"slices"

	"mneme/markdown"
	"mneme/memory"
)

// follow gives entries the paths of renamed files, and files the names of renamed entries,
// before both sides are compared by path. If both were renamed to different paths, the
// store's path is used.
func (p *pass) follow(ctx context.Context) error {
	p.recheck()
	p.findEntries()
	pairs, err := p.pair(ctx)
	if err != nil {
		return err
	}
	if pairs, err = p.clearPlaces(ctx, pairs); err != nil {
		return err
	}
	if err := p.renameEntries(ctx, pairs); err != nil {
		return err
	}
	p.renameFiles()
	return nil
}

// recheck removes the former names of files that were renamed while the folder was listed:
// the listing has such a file under both names.
func (p *pass) recheck() {
	known := make(map[string]string)
	for name, base := range p.state.Files {
		known[base.File] = name
	}
	for name, here := range p.listing.files {
		before := known[here.sum]
		if _, ok := p.state.Files[name]; !ok && before != "" && p.listing.files[before] != nil && p.folder.isGone(before) {
			delete(p.listing.files, before)
		}
	}
}

// findEntries finds the current paths of the state's entries in the store.
func (p *pass) findEntries() {
	at := make(map[string]memory.Path, len(p.remote))
	for path, there := range p.remote {
		at[there.id] = path
	}
	p.entries = make(map[string]memory.Path, len(p.state.Files))
	for name, base := range p.state.Files {
		path := base.path(p.options.Origin.Store)
		if there, ok := p.remote[path]; ok && base.ID == "" && there.is(base) { // from a state without IDs
			base.ID = there.id
			p.state.Files[name] = base
		}
		if path, ok := at[base.ID]; ok {
			p.entries[base.ID] = path
		}
	}
}

// whereIs returns the store's path of an entry of the state.
func (p *pass) whereIs(b base) (memory.Path, bool) {
	if path, ok := p.entries[b.ID]; ok {
		return path, true
	}
	path := b.path(p.options.Origin.Store)
	there, ok := p.remote[path]
	return path, ok && b.ID == "" && there.is(b)
}

// isMoved reports whether the store has the entry of b at another path than the state,
// apart from its temporary key.
func (p *pass) isMoved(b base, there memory.Path) bool {
	here := b.path(p.options.Origin.Store)
	return there != here && (b.Temp == "" || there != memory.Path{Store: here.Store, Namespace: here.Namespace, Key: b.Temp})
}

// target is a rename in the store.
type target struct {
	rename
	entry memory.Path // its current path
	path  memory.Path // its new path
	file  memory.Path // the path that the file's new name stands for
	etag  string
}

// renameEntries renames the entries of renamed files. It updates the state only when all
// renames are done. If the pass is interrupted before, the next one recognizes the renamed
// files by their contents, and the renamed entries by their IDs.
func (p *pass) renameEntries(ctx context.Context, pairs []rename) error {
	var targets []target
	for _, r := range pairs {
		there, ok := p.whereIs(r.base)
		if !ok {
			var err error
			if there, ok, err = p.reviveRenamed(ctx, &r); err != nil {
				return err
			}
		}
		if !ok {
			continue
		}
		t := target{rename: r, entry: there, path: there, file: p.pathOf(r.to)}
		if !p.isMoved(r.base, there) {
			t.path = t.file
		}
		targets = append(targets, t)
	}
	paired := make(map[string]bool)
	for _, t := range targets {
		paired[t.from] = true
	}
	for name, b := range p.state.Files { // from an interrupted pass
		if there, ok := p.whereIs(b); ok && b.Temp != "" && !paired[name] && !p.isMoved(b, there) && there.Key == b.Temp {
			back := b.path(there.Store)
			targets = append(targets, target{rename: rename{from: name, to: name, base: b}, entry: there, path: back, file: back})
		}
	}
	done, err := p.renameInOrder(ctx, targets)
	if err != nil {
		return err
	}
	p.settleRenames(done)
	return nil
}

// reviveRenamed restores the entry of a file that was renamed here, if the entry was
// deleted in the store: a renamed text is retained. If another entry has its key, the
// restored entry gets a temporary one. If it cannot be restored, the file counts as new.
func (p *pass) reviveRenamed(ctx context.Context, r *rename) (memory.Path, bool, error) {
	r.base.Temp = temporaryKey()
	p.state.Files[r.from] = r.base
	now, err := p.undelete(ctx, "", r.base, memory.Path{Store: p.options.Origin.Store, Namespace: r.base.Namespace, Key: r.base.Temp})
	if err != nil {
		return memory.Path{}, false, err
	}
	if now == nil {
		if p.listing.files[r.from] == nil {
			p.forget(r.from)
		} else {
			r.base.Temp = ""
			p.state.Files[r.from] = r.base
		}
		p.forget(r.to)
		return memory.Path{}, false, nil
	}
	there := now.Entry.Path
	p.remote[there] = remoteOf(now.Entry)
	p.entries[r.base.ID] = there
	return there, true, nil
}

// renameInOrder renames entries, each when its new path is free. If they block each other
// in a cycle, one gets a temporary key first. It returns the entries that have their new
// paths.
func (p *pass) renameInOrder(ctx context.Context, targets []target) (done []target, err error) {
	if err := p.readTags(ctx, targets); err != nil {
		return nil, err
	}
	var touched []memory.Path
	defer func() {
		if err == nil {
			_, err = p.read(ctx, touched)
		}
	}()
	for len(targets) > 0 {
		var left []target
		for n := range targets {
			t := &targets[n]
			occupant, occupied := p.remote[t.path]
			switch {
			case t.entry == t.path:
				done = append(done, *t)
			case occupied && slices.ContainsFunc(targets, func(other target) bool { return other.base.ID == occupant.id }):
				left = append(left, *t)
			case occupied && p.entries[occupant.id] == t.path && !p.isSettled(t.path):
				p.leave(t.from, t.to)
				p.again = true
			case occupied:
				p.paired[t.from] = true // the files are compared by path
			default:
				touched = append(touched, t.entry, t.path)
				ok, err := p.renameEntry(ctx, t, t.path)
				if err != nil {
					return nil, err
				}
				if ok {
					done = append(done, *t)
				}
			}
		}
		if len(left) == len(targets) { // a cycle: give one entry a temporary key
			t := &left[0]
			aside := t.entry
			aside.Key = temporaryKey()
			t.base.Temp = aside.Key
			p.state.Files[t.from] = t.base
			if err := p.folder.saveState(p.state); err != nil {
				return nil, err
			}
			touched = append(touched, t.entry, aside)
			ok, err := p.renameEntry(ctx, t, aside)
			if err != nil {
				return nil, err
			}
			if !ok {
				left = left[1:]
			}
		}
		targets = left
	}
	return done, nil
}

// isSettled reports whether the file that the state has for a path still exists. If it
// does, the path does not become free in this pass.
func (p *pass) isSettled(path memory.Path) bool {
	for name, base := range p.state.Files {
		if base.path(path.Store) == path {
			return p.listing.files[name] != nil
		}
	}
	return false
}

// readTags reads the entity tags of the entries to rename.
func (p *pass) readTags(ctx context.Context, targets []target) error {
	var paths []memory.Path
	for _, t := range targets {
		if t.entry != t.path {
			paths = append(paths, t.entry)
		}
	}
	found, err := p.read(ctx, paths)
	if err != nil {
		return err
	}
	for n := range targets {
		if now := found[targets[n].entry]; now != nil {
			targets[n].etag = now.ETag
		}
	}
	return nil
}

// renameEntry renames one entry in the store, and reports whether it did. If the entry was
// changed or deleted meanwhile, this pass leaves its files alone; if the store refuses, the
// files are compared by path.
func (p *pass) renameEntry(ctx context.Context, t *target, to memory.Path) (bool, error) {
	if t.etag == "" { // it has been deleted meanwhile
		p.leave(t.from, t.to)
		return false, nil
	}
	outcome, err := p.store.Rename(ctx, t.entry, to, t.etag)
	switch {
	case err != nil:
		return false, err
	case outcome.Changed:
		p.leave(t.from, t.to)
		return false, nil
	case outcome.Refused != "":
		p.paired[t.from] = true
		return false, nil
	}
	p.remote[to] = p.remote[t.entry]
	delete(p.remote, t.entry)
	p.entries[t.base.ID] = to
	t.entry, t.etag = to, outcome.ETag
	return true, nil
}

// leave excludes files from this pass.
func (p *pass) leave(names ...string) {
	p.pending = true
	for _, name := range names {
		if p.listing.files[name] != nil {
			p.left[name] = p.pathOf(name)
		}
		delete(p.listing.files, name)
		p.listing.unknown[name] = ""
	}
}

// settleRenames records renames whose files and entries now have the same path.
func (p *pass) settleRenames(done []target) {
	for _, t := range done {
		delete(p.state.Files, t.from)
		delete(p.missing, t.from)
	}
	for _, t := range done {
		b := p.rebased(t.base, p.remote[t.path], p.listing.files[t.to])
		if t.path == t.file {
			b.Namespace, b.Key, b.Temp = t.path.Namespace, t.path.Key, ""
		} // otherwise the store has renamed the entry, and renameFiles renames the file
		p.state.Files[t.to] = b
		if t.from != t.to {
			p.done(Event{Kind: Renamed, File: t.to, From: t.from})
		}
	}
}

// rebased returns a base whose digests do not depend on its former path, unlike those in
// older states.
func (p *pass) rebased(b base, there remote, here *file) base {
	if there.is(b) {
		b.Entry = there.digest
	}
	if here != nil && b.says(here.note) {
		b.Note = digest(here.note)
	}
	return b
}

// renameFiles renames the files of entries that the store moved to another path.
func (p *pass) renameFiles() {
	moved := make(map[string]memory.Path)
	for name, base := range p.state.Files {
		there, ok := p.whereIs(base)
		if !ok || !p.isMoved(base, there) {
			continue
		}
		switch {
		case p.listing.files[name] != nil:
			moved[name] = there
		case p.listing.isUnknown(name):
			p.pending = p.pending || p.listing.unsettled
		case p.isMissing(name): // deleted here, renamed in the store: the file is created again
			p.forget(name)
		default:
			p.pending = true
		}
	}
	for progress := true; progress; {
		progress = false
		for _, name := range slices.Sorted(maps.Keys(moved)) {
			if p.renameFile(name, moved[name], moved) {
				delete(moved, name)
				progress = true
			}
		}
	}
	// The remaining files block each other. They keep their names, and each gets the text
	// of the entry that now has its path.
}

// renameFile gives a file the name for its entry's new path. It reports false if another
// file of moved has this name, and must be renamed first.
func (p *pass) renameFile(name string, there memory.Path, moved map[string]memory.Path) bool {
	b := p.rebased(p.state.Files[name], p.remote[there], p.listing.files[name])
	b.Namespace, b.Key, b.Temp = there.Namespace, there.Key, ""
	to := markdown.FileName(there.Namespace, there.Key)
	for other := range moved {
		if other != name && markdown.Fold(other) == markdown.Fold(to) {
			return false
		}
	}
	own := markdown.Fold(name)
	waits := false
	to, err := markdown.FreeFile(there.Namespace, there.Key, func(folded string) bool {
		isTaken := p.taken(folded) && (folded != own || p.hasOther(name))
		for other := range moved {
			waits = waits || isTaken && other != name && markdown.Fold(other) == folded
		}
		return isTaken
	})
	switch {
	case err != nil && waits:
		return false
	case err != nil:
		p.problem(name, 0, err.Error())
		p.hold(name, "")
		return true
	}
	respelled := to
	to = p.spelled(to)
	if p.respelled = p.respelled || to != respelled; to == name || p.says(name, there) {
		p.state.Files[name] = b
	} else if err := p.folder.move(name, to); err != nil {
		if err := p.failed(name, err); err != nil {
			p.problem(name, 0, err.Error())
		}
		p.leave(name)
	} else {
		delete(p.state.Files, name)
		p.listing.files[to] = p.listing.files[name]
		delete(p.listing.files, name)
		p.state.Files[to] = b
		p.fold = nil
		p.done(Event{Kind: Renamed, File: to, From: name})
	}
	return true
}

// says reports whether the name of a file stands for a path, regardless of the fields in
// its frontmatter.
func (p *pass) says(name string, there memory.Path) bool {
	note, _ := markdown.ParsePlain(name, nil, p.options.Zone)
	return note.Namespace == there.Namespace && note.Name == there.Key && path.Ext(name) != ""
}
