package memory

import (
	"context"
	"strings"
	"time"

	"mneme/acl"
)

// MaxTree is the maximum number of entries of one DeleteTree or RenameTree. Each runs in one
// transaction, during which other writers wait. wholeCost bounds that transaction too.
const MaxTree = 10_000

// Tree is the set of entries of one namespace whose keys begin with Folder and a '/'. It does
// not include the entry with the key Folder.
type Tree struct {
	Store, Namespace, Folder string
}

// DeleteTree deletes every entry that the caller sees below a folder, each as Delete would, in
// one transaction: all or none. It returns the number deleted. The error is ErrNotFound if
// there are none.
func (s *Service) DeleteTree(ctx context.Context, c Caller, t Tree) (int, error) {
	t = t.normal()
	count := 0
	err := s.update(ctx, c, Work{Stores: []string{t.Store}, Entries: allOfIt}, func(tx Tx) error {
		now := s.Instant()
		a, err := access(ctx, tx, c, t.Store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		if err := CheckPath(Path{t.Store, t.Namespace, t.Folder}); err != nil {
			return err
		}
		entries, err := listTree(ctx, tx, c, a, t, now)
		if err != nil {
			return err
		}
		for i := range entries {
			if !mayRemove(c, a, &entries[i]) {
				return acl.ErrDenied
			}
			if err := requireOwnLabel(c, &entries[i]); err != nil {
				return err
			}
		}
		count = len(entries)
		return s.softDeleteAll(ctx, tx, c, entries, now)
	})
	if err != nil {
		return 0, err
	}
	s.wrote(count)
	return count, nil
}

// softDeleteAll moves entries into the trash. They were read without values; it reads the
// values in batches.
func (s *Service) softDeleteAll(ctx context.Context, tx Tx, c Caller, entries []Entry, now time.Time) error {
	const many = 500 // ids per query
	for len(entries) > 0 {
		n := BatchOf(min(many, len(entries)), func(i int) int { return entries[i].Size })
		batch, err := s.withValues(ctx, tx, entries[:n])
		if err != nil {
			return err
		}
		if len(batch) < n { // the rows were read in this transaction
			return ErrStale
		}
		for i := range batch {
			if err := softDelete(ctx, tx, c, &batch[i].Entry, now); err != nil {
				return err
			}
		}
		entries = entries[n:]
	}
	return nil
}

// RenameTree moves every entry that the caller sees below a folder to another folder of the
// namespace, in the same store or another, each as Rename would, in one transaction: all or
// none. Neither the new folder nor an entry with its name may exist. It returns the number of
// entries moved. The error is ErrNotFound if there are none.
func (s *Service) RenameTree(ctx context.Context, c Caller, t Tree, toStore, to string) (int, error) {
	t, to = t.normal(), NormalName(to)
	if toStore == "" {
		toStore = t.Store
	}
	count := 0
	err := s.update(ctx, c, Work{Stores: []string{t.Store, toStore}, Entries: allOfIt}, func(tx Tx) error {
		now := s.Instant()
		a, err := access(ctx, tx, c, t.Store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		dest, err := writeAccess(ctx, tx, c, toStore, now)
		if err != nil {
			return err
		}
		if err := CheckPath(Path{t.Store, t.Namespace, t.Folder}); err != nil {
			return err
		}
		if err := CheckKey(to); err != nil {
			return asToField(err)
		}
		entries, err := listTree(ctx, tx, c, a, t, now)
		if err != nil {
			return err
		}
		if err := s.requireVacant(ctx, tx, c, dest, Tree{toStore, t.Namespace, to}, now); err != nil {
			return err
		}
		if toStore == t.Store && strings.HasPrefix(to, t.Folder+"/") {
			return rule("to", "must not be inside the folder that moves")
		}
		for i := range entries {
			e := &entries[i]
			path := Path{toStore, t.Namespace, to + strings.TrimPrefix(e.Key, t.Folder)}
			if err := CheckKey(path.Key); err != nil {
				return asToField(err)
			}
			r := RenameRequest{Path: e.Path, To: path.Key, ToStore: toStore}
			if _, err := s.rename(ctx, tx, c, dest, r, path); err != nil {
				return err
			}
		}
		count = len(entries)
		return nil
	})
	if err != nil {
		return 0, asConflict(err)
	}
	s.wrote(count)
	return count, nil
}

// listTree returns the entries below a folder that the caller sees, one per path, without
// values, in key order. The error is ErrNotFound if there are none.
func listTree(ctx context.Context, tx EntryReader, c Caller, a acl.Access, t Tree, now time.Time) ([]Entry, error) {
	found, err := scanTree(ctx, tx, c, a, t, MaxTree+1, now)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	if len(found) > MaxTree {
		return nil, rule("path", "holds more than %d entries; handle its folders one by one", MaxTree)
	}
	cost := 0
	for i := range found {
		cost += guessCost(found[i].bytes())
	}
	if cost > wholeCost {
		return nil, rule("path", "holds more than can be changed at once; handle its folders one by one, or its entries")
	}
	return found, nil
}

// scanTree returns the entries below a folder that the caller sees, one per path, without
// values, in key order, up to limit entries.
func scanTree(ctx context.Context, tx EntryReader, c Caller, a acl.Access, t Tree, limit int, now time.Time) ([]Entry, error) {
	query := ScanQuery{Store: t.Store, Ceiling: a.Ceiling, Namespace: &t.Namespace, Prefix: t.Folder + "/"}
	return scanVisible(ctx, tx, c, a, query, limit, now, keepAll)
}

// requireVacant returns an error if the caller sees entries below the folder or an entry with
// the folder's name.
func (s *Service) requireVacant(ctx context.Context, tx EntryReader, c Caller, a acl.Access, t Tree, now time.Time) error {
	at, err := tx.At(ctx, Path{t.Store, t.Namespace, t.Folder}.At(a.Ceiling))
	if err != nil {
		return err
	}
	below, err := scanTree(ctx, tx, c, a, t, 1, now)
	if err != nil {
		return err
	}
	if Resolve(c, a, at, now) != nil || len(below) > 0 {
		return conflict("the new folder exists already")
	}
	return nil
}
