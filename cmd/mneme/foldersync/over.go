package foldersync

import (
	"context"
	"fmt"

	"mneme/memory"
)

// clearPlaces deletes the entries of files that were overwritten by renames, or whose keys
// other files now have. It returns the renames that are then possible.
func (p *pass) clearPlaces(ctx context.Context, pairs []rename) (free []rename, err error) {
	var over []rename
	var paths []memory.Path
	for _, r := range pairs {
		if !r.over {
			free = append(free, r)
			continue
		}
		b := p.state.Files[r.to]
		there, ok := p.whereIs(b)
		// Deleted or renamed in the store: an entry with another path gets its own file.
		if !ok || p.isMoved(b, there) {
			p.forget(r.to)
			free = append(free, r)
			continue
		}
		over, paths = append(over, r), append(paths, there)
	}
	if len(over) == 0 {
		return free, nil
	}
	if p.tooMany(len(over)) {
		p.tooManyGone(len(over))
		for _, r := range over {
			p.leave(r.from, r.to)
		}
		return free, nil
	}
	found, err := p.read(ctx, paths)
	if err != nil {
		return nil, err
	}
	for n, r := range over {
		now := found[paths[n]]
		if now == nil || !remoteOf(now.Entry).is(p.state.Files[r.to]) { // changed in the store: compared by path
			continue
		}
		outcomes, err := p.store.Write(ctx, []Write{{Put: memory.PutRequest{Path: paths[n]}, ETag: now.ETag, Delete: true}})
		if err != nil {
			return nil, err
		}
		switch {
		case outcomes[0].Changed:
			p.leave(r.from, r.to)
		case outcomes[0].Refused == "":
			delete(p.remote, paths[n])
			p.remember(r.to, now.Entry.Value)
			p.forget(r.to)
			p.deleted = append(p.deleted, p.now())
			p.done(Event{Kind: Trashed, File: r.to})
			if !r.isOther {
				free = append(free, r)
			}
		}
	}
	return free, nil
}

// tooManyGone reports that no entry is deleted, because count files are missing.
func (p *pass) tooManyGone(count int) {
	p.problem("", 0, fmt.Sprintf("%d of %d files are gone: their entries are kept; if that is meant, use --force", count, len(p.state.Files)))
}
