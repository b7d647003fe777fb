package foldersync

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"time"

	"mneme/markdown"
	"mneme/memory"
)

// trashed is a file whose entry was deleted.
type trashed struct {
	base
	Name   string    `json:"name,omitempty"` // of the file
	Sketch words     `json:"words,omitempty"`
	At     time.Time `json:"at"`
}

// Bounds of the record of deleted files: entries cannot be restored once the store has
// purged its trash.
const (
	maxTrashed = 1000
	trashedFor = 30 * 24 * time.Hour
)

// remember records that the entry of a file of the state was deleted. value is the entry's
// last value; nil: unknown.
func (p *pass) remember(name string, value json.RawMessage) {
	b := p.state.Files[name]
	if b.ID == "" {
		return
	}
	all := slices.DeleteFunc(p.state.Trashed, func(t trashed) bool { return t.ID == b.ID || p.now().Sub(t.At) > trashedFor })
	if len(all) >= maxTrashed {
		all = all[len(all)-maxTrashed+1:]
	}
	p.state.Trashed = append(all, trashed{b, name, wordsOf(value).sketch(), p.now()})
}

// trashedAs returns the index in state.Trashed of the deleted file that has reappeared as a
// new file, with the same or similar contents, see sketchShare; -1 if there is none.
func (p *pass) trashedAs(name string) int {
	here := p.listing.files[name]
	if at := slices.IndexFunc(p.state.Trashed, func(t trashed) bool { return t.File == here.sum }); at >= 0 {
		return at
	}
	found, best := -1, 0.0
	now := wordsOf(here.note.Value).sketch()
	for n, t := range p.state.Trashed {
		least := otherSketchShare
		if markdown.Fold(path.Base(t.Name)) == markdown.Fold(path.Base(name)) {
			least = sketchShare
		}
		if share := t.Sketch.sketchSimilarity(now); share >= least && share > best {
			found, best = n, share
		}
	}
	return found
}

// revive restores the deleted entries of files to upload, so that they retain their
// history: of a file that was changed here and deleted in the store, and of one that
// reappeared. It adds the restored entries to found.
func (p *pass) revive(ctx context.Context, found map[memory.Path]*Found) error {
	p.revived = make(map[memory.Path]bool)
	for _, path := range p.uploads {
		name := p.files[path]
		former, known := p.state.Files[name]
		if found[path] != nil {
			continue
		}
		at := -1
		if !known {
			if at = p.trashedAs(name); at < 0 {
				continue
			}
			former = p.state.Trashed[at].base
		}
		if former.ID == "" {
			continue
		}
		restored, err := p.restore(ctx, name, former, path)
		if err != nil {
			return err
		}
		if at >= 0 { // not earlier: the pass may be interrupted
			p.state.Trashed = slices.Delete(p.state.Trashed, at, at+1)
		}
		if restored {
			now, err := p.read(ctx, []memory.Path{path})
			if err != nil {
				return err
			}
			found[path] = now[path]
			p.revived[path] = true
		}
	}
	if p.exchanged { // other entries have new entity tags
		now, err := p.read(ctx, p.known(p.uploads))
		maps.Copy(found, now)
		return err
	}
	return nil
}

// restore restores the deleted entry of a file, and renames it to path. If the store
// refuses the rename, the entry is deleted again. It reports whether the entry exists.
func (p *pass) restore(ctx context.Context, file string, former base, path memory.Path) (bool, error) {
	now, err := p.undelete(ctx, file, former, path)
	if err != nil || now == nil || now.Entry.Path == path {
		return now != nil, err
	}
	was := now.Entry.Path
	renamed, err := p.store.Rename(ctx, was, path, now.ETag)
	if err != nil || !renamed.Changed && renamed.Refused == "" {
		return err == nil, err
	}
	_, err = p.store.Write(ctx, []Write{{Put: memory.PutRequest{Path: was}, ETag: now.ETag, Delete: true}})
	return false, err
}
