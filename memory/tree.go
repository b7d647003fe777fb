package memory

import (
	"context"
	"strings"
	"time"

	"mneme/acl"
)

// MaxTree is how many entries one DeleteTree or RenameTree takes at most:
// they are one transaction, in which nobody else writes.
const MaxTree = 10_000

// Tree names the entries of one namespace whose keys begin with Folder and a
// '/'. The entry whose key is Folder itself is not among them.
type Tree struct {
	Store, Namespace, Folder string
}

// DeleteTree hides every entry that the caller sees below a folder, each as
// Delete would, in one transaction: one that may not be deleted refuses the
// whole. It returns how many there were; none is ErrNotFound.
func (s *Service) DeleteTree(ctx context.Context, c Caller, t Tree) (int, error) {
	count := 0
	err := s.storage.Update(ctx, func(tx Tx) error {
		now := s.instant()
		a, err := access(ctx, tx, c, t.Store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		if err := checkPath(Path{t.Store, t.Namespace, t.Folder}); err != nil {
			return err
		}
		entries, err := s.below(ctx, tx, c, a, t, now)
		if err != nil {
			return err
		}
		for i := range entries {
			e := &entries[i]
			if !mayRemove(c, a, e) {
				return acl.ErrDenied
			}
			if err := atOwnLabel(c, e); err != nil {
				return err
			}
			if err := discard(ctx, tx, c, e, now); err != nil {
				return err
			}
		}
		count = len(entries)
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.indexer.Wake()
	return count, nil
}

// RenameTree moves every entry that the caller sees below a folder to another
// folder of the namespace, in the same store or another, each as Rename
// would, in one transaction: one that may not be moved refuses the whole. The
// new folder, and an entry of its name, must not be there. It returns how many
// entries moved; none is ErrNotFound.
func (s *Service) RenameTree(ctx context.Context, c Caller, t Tree, toStore, to string) (int, error) {
	if toStore == "" {
		toStore = t.Store
	}
	count := 0
	err := s.storage.Update(ctx, func(tx Tx) error {
		now := s.instant()
		a, err := access(ctx, tx, c, t.Store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		dest, err := writeAccess(ctx, tx, c, toStore, now)
		if err != nil {
			return err
		}
		if err := checkPath(Path{t.Store, t.Namespace, t.Folder}); err != nil {
			return err
		}
		if err := CheckKey(to); err != nil {
			return renamed(err)
		}
		entries, err := s.below(ctx, tx, c, a, t, now)
		if err != nil {
			return err
		}
		if err := s.vacant(ctx, tx, c, dest, Tree{toStore, t.Namespace, to}, now); err != nil {
			return err
		}
		if toStore == t.Store && strings.HasPrefix(to, t.Folder+"/") {
			return rule("to", "must not be inside the folder that moves")
		}
		for i := range entries {
			e := &entries[i]
			path := Path{toStore, t.Namespace, to + strings.TrimPrefix(e.Key, t.Folder)}
			if err := CheckKey(path.Key); err != nil {
				return renamed(err)
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
		return 0, clash(err)
	}
	s.indexer.Wake()
	return count, nil
}

// below returns, whole, what each path below a folder shows to the caller, in
// key order. Nothing there is ErrNotFound.
func (s *Service) below(ctx context.Context, tx ReadTx, c Caller, a acl.Access, t Tree, now time.Time) ([]Entry, error) {
	chosen, err := s.scanTree(ctx, tx, c, a, t, MaxTree+1, now)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, ErrNotFound
	}
	if len(chosen) > MaxTree {
		return nil, rule("path", "holds more than %d entries; take its folders one by one", MaxTree)
	}
	entries := make([]Entry, 0, len(chosen))
	const many = 500 // ids in one question
	for start := 0; start < len(chosen); start += many {
		found, err := s.fill(ctx, tx, chosen[start:min(start+many, len(chosen))])
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			entries = append(entries, f.Entry)
		}
	}
	return entries, nil
}

// scanTree is below without the values, up to a limit.
func (s *Service) scanTree(ctx context.Context, tx ReadTx, c Caller, a acl.Access, t Tree, limit int, now time.Time) ([]Entry, error) {
	query := ScanQuery{
		Store: t.Store, Ceiling: a.Ceiling, Namespace: &t.Namespace, Prefix: t.Folder + "/", Limit: min(1000, 4*limit+16),
	}
	var chosen []Entry
	for len(chosen) < limit {
		rows, err := tx.Scan(ctx, query)
		if err != nil {
			return nil, err
		}
		last := len(rows) < query.Limit
		groups, whole := byPath(rows, last)
		if whole == 0 && !last { // one path fills the stretch: take a longer one
			query.Limit *= 2
			continue
		}
		for _, group := range groups {
			if e := shown(c, a, group, now); e != nil && len(chosen) < limit {
				chosen = append(chosen, *e)
			}
		}
		if last {
			break
		}
		end := rows[whole-1]
		query.After, query.AfterNamespace, query.AfterKey = true, end.Namespace, end.Key
	}
	return chosen, nil
}

// vacant refuses a folder below which the caller sees something, and one
// whose name is an entry's.
func (s *Service) vacant(ctx context.Context, tx ReadTx, c Caller, a acl.Access, t Tree, now time.Time) error {
	at, err := tx.At(ctx, Path{t.Store, t.Namespace, t.Folder})
	if err != nil {
		return err
	}
	inside, err := s.scanTree(ctx, tx, c, a, t, 1, now)
	if err != nil {
		return err
	}
	if shown(c, a, at, now) != nil || len(inside) > 0 {
		return conflict("the new folder is there already")
	}
	return nil
}
