package foldersync

import (
	"context"
	"crypto/rand"
	"slices"

	"mneme/memory"
)

// exchange is the restoration of a deleted entry whose path other entries have used since.
// The store restores only the entry that was deleted last at a path. Therefore a live entry
// at the path, and entries that were deleted there later, get temporary keys during the
// restoration. The state contains the exchange, so that the next pass completes an
// interrupted one.
type exchange struct {
	ID    string  `json:"id"`
	File  string  `json:"file,omitempty"` // its new file; "": its file is in the state
	Base  base    `json:"base"`           // synchronized content of both sides
	Temp  string  `json:"temp"`           // its key until the other entries are back at their paths
	Was   place   `json:"was"`
	To    place   `json:"to"`
	Aside []aside `json:"aside"` // latest first
}

// place is a path in the store.
type place struct {
	Namespace string `json:"namespace,omitempty"`
	Key       string `json:"key"`
}

func (l place) path(store string) memory.Path {
	return memory.Path{Store: store, Namespace: l.Namespace, Key: l.Key}
}

// aside is an entry that makes room for another one.
type aside struct {
	ID      string `json:"id"`
	Key     string `json:"key"` // in the namespace of the exchange
	Deleted bool   `json:"deleted,omitempty"`
}

// maxAside bounds how many entries make room for one.
const maxAside = 20

// temporaryKey returns a key for an entry that makes room for another one.
func temporaryKey() string { return "renaming-" + rand.Text() }

// undelete restores a deleted entry at its last path or, if other entries have used that
// path since, at the path to. It returns nil if the entry cannot be restored. file is the
// entry's new file.
func (p *pass) undelete(ctx context.Context, file string, former base, to memory.Path) (*Found, error) {
	if former.ID == "" {
		return nil, nil
	}
	was, later, err := p.store.Trashed(ctx, former.ID)
	if err != nil || was == nil || len(later) >= maxAside {
		return nil, err
	}
	x := exchange{ID: former.ID, File: file, Base: former, Temp: temporaryKey(), Was: place{was.Namespace, was.Key}, To: place{to.Namespace, to.Key}}
	occupants, err := p.read(ctx, []memory.Path{*was})
	if err != nil {
		return nil, err
	}
	if now := occupants[*was]; now != nil {
		x.Aside = append(x.Aside, aside{ID: now.Entry.ID.String(), Key: temporaryKey()})
	} else if len(later) == 0 {
		return p.store.Restore(ctx, *was)
	}
	for _, id := range later {
		x.Aside = append(x.Aside, aside{ID: id, Key: temporaryKey(), Deleted: true})
	}
	p.state.Exchange, p.exchanged = &x, true
	if err := p.folder.saveState(p.state); err != nil {
		return nil, err
	}
	if err := p.makeRoom(ctx, x); err != nil {
		return nil, err
	}
	if err := p.endExchange(ctx); err != nil {
		return nil, err
	}
	found, err := p.read(ctx, []memory.Path{to})
	if now := found[to]; err == nil && now != nil && now.Entry.ID.String() == x.ID {
		return now, nil
	}
	return nil, err
}

// makeRoom gives temporary keys to the entries that have used the deleted entry's path
// since, and restores the deleted entry. It stops, without an error, where the store
// refuses a step.
func (p *pass) makeRoom(ctx context.Context, x exchange) error {
	was := x.Was.path(p.options.Origin.Store)
	for _, one := range x.Aside {
		if one.Deleted {
			if now, err := p.store.Restore(ctx, was); err != nil || now == nil {
				return err
			}
		}
		away := place{was.Namespace, one.Key}.path(was.Store)
		if ok, err := p.move(ctx, one.ID, was, away); err != nil || !ok {
			return err
		}
	}
	_, err := p.store.Restore(ctx, was)
	return err
}

// endExchange moves each entry of an exchange to its path: the restored one to its
// destination, or to the trash if that is impossible, and the others back to where they
// were.
func (p *pass) endExchange(ctx context.Context) error {
	x := p.state.Exchange
	if x == nil {
		return nil
	}
	p.exchanged = true
	was := x.Was.path(p.options.Origin.Store)
	temp := place{was.Namespace, x.Temp}.path(was.Store)
	if _, err := p.move(ctx, x.ID, was, temp); err != nil {
		return err
	}
	for _, one := range slices.Backward(x.Aside) {
		away := place{was.Namespace, one.Key}.path(was.Store)
		if _, err := p.move(ctx, one.ID, away, was); err != nil {
			return err
		}
		if one.Deleted {
			if err := p.deleteAt(ctx, one.ID, was, away); err != nil {
				return err
			}
		}
	}
	to := x.To.path(was.Store)
	ok, err := p.move(ctx, x.ID, temp, to)
	if err != nil {
		return err
	}
	if found, err := p.read(ctx, []memory.Path{to}); err != nil {
		return err
	} else if now := found[to]; now != nil && now.Entry.ID.String() == x.ID { // maybe moved by an interrupted pass
		ok = true
	}
	if ok && x.File != "" {
		x.Base.Namespace, x.Base.Key = x.To.Namespace, x.To.Key
		p.state.Files[x.File] = x.Base
	}
	if !ok && x.To != x.Was {
		if _, err := p.move(ctx, x.ID, temp, was); err != nil {
			return err
		}
	}
	if !ok {
		if err := p.deleteAt(ctx, x.ID, was, temp); err != nil {
			return err
		}
	}
	p.state.Exchange = nil
	return nil
}

// triesToMove bounds the attempts to move an entry that others change concurrently.
const triesToMove = 5

// move gives an entry another path if it has the ID and the path is free. It reports
// whether it did.
func (p *pass) move(ctx context.Context, id string, from, to memory.Path) (bool, error) {
	for range triesToMove {
		found, err := p.read(ctx, []memory.Path{from})
		if now := found[from]; err != nil || now == nil || now.Entry.ID.String() != id {
			return false, err
		}
		outcome, err := p.store.Rename(ctx, from, to, found[from].ETag)
		if err != nil {
			return false, err
		}
		if !outcome.Changed {
			_, err := p.read(ctx, []memory.Path{from, to})
			return outcome.Refused == "", err
		}
	}
	return false, nil
}

// deleteAt deletes an entry at whichever of the paths it is.
func (p *pass) deleteAt(ctx context.Context, id string, paths ...memory.Path) error {
	found, err := p.read(ctx, paths)
	if err != nil {
		return err
	}
	for path, now := range found {
		if now.Entry.ID.String() != id {
			continue
		}
		if _, err := p.store.Write(ctx, []Write{{Put: memory.PutRequest{Path: path}, ETag: now.ETag, Delete: true}}); err != nil {
			return err
		}
		if _, err := p.read(ctx, []memory.Path{path}); err != nil {
			return err
		}
	}
	return nil
}
