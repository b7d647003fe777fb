package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

// namesMeta is the setting with the Unicode version by which the names of the database's
// entries were normalized.
const namesMeta = "names"

// namesBatch is the number of entries that nameAgain reads or renames at a time.
const namesBatch = 500

// nameAgain normalizes the namespaces and keys of entries, including deleted ones. It does so
// if the database was written with another Unicode version than this build's, or by a version
// of mneme that did not record the Unicode version. There is seldom anything to do: between
// Unicode versions, the normal form changes only for texts with characters that were not
// assigned before. Other processes may write meanwhile.
func nameAgain(ctx context.Context, storage Storage, log *slog.Logger) error {
	found, err := readMetas(ctx, storage, namesMeta)
	if err != nil || found[namesMeta] == norm.Version {
		return err
	}
	ids, err := unnormalized(ctx, storage)
	if err != nil {
		return err
	}
	apart := 0
	for start := 0; start < len(ids); start += namesBatch {
		batch := ids[start:min(start+namesBatch, len(ids))]
		numbered := 0
		err := storage.Update(ctx, func(tx Tx) (err error) {
			numbered, err = renameNormal(ctx, tx, batch)
			return err
		})
		if err != nil {
			return err
		}
		apart += numbered
		reportEntries(ctx, "bringing its keys into Unicode form C", start+len(batch), int64(len(ids)))
	}
	if len(ids) > 0 {
		log.WarnContext(ctx, "brought keys and namespaces into Unicode form C", "entries", len(ids), "numbered", apart)
	}
	return storage.Update(ctx, func(tx Tx) error { return tx.SetMeta(ctx, namesMeta, []byte(norm.Version)) })
}

// unnormalized returns the entries whose namespace or key is not normalized.
func unnormalized(ctx context.Context, storage Storage) (ids []uuid.UUID, err error) {
	var after uuid.UUID
	for batch := namesBatch; batch == namesBatch; {
		err := storage.View(ctx, func(tx ReadTx) error {
			entries, err := tx.NonASCIINames(ctx, after, namesBatch)
			batch = len(entries)
			for i := range entries {
				after = entries[i].ID
				if entries[i].Path != entries[i].Path.Normal() {
					ids = append(ids, after)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// renameNormal moves entries to the path that Path.Normal returns. If that would hide a live
// entry, it uses the first free key of key~2, key~3 and so on; numbered counts these keys.
// Versions in the history retain their names.
func renameNormal(ctx context.Context, tx Tx, ids []uuid.UUID) (numbered int, err error) {
	for _, id := range ids {
		found, err := tx.Get(ctx, []uuid.UUID{id})
		if err != nil {
			return 0, err
		}
		if len(found) == 0 || found[0].Path == found[0].Path.Normal() { // erased or renamed meanwhile
			continue
		}
		e := &found[0]
		number := 1
		if e.Path = fitted(e.Path.Normal()); e.DeletedAt.IsZero() {
			if e.Path, number, err = freePath(ctx, tx, e); err != nil {
				return 0, err
			}
		}
		if number > 1 {
			numbered++
		}
		e.Revision++
		if err := tx.Put(ctx, *e, document(e)); err != nil {
			return 0, err
		}
	}
	return numbered, nil
}

// freePath returns the path of e, and number 1, if no other live entry is there. Otherwise it
// returns the first free path with the key key~2, key~3 and so on, and that number.
//
// SECURITY: entries that no reader of e can see do not count as being there. Then two entries
// of different owners or labels share the path, which is allowed for any path.
func freePath(ctx context.Context, tx PathReader, e *Entry) (free Path, number int, err error) {
	free = e.Path
	for number = 1; ; {
		others, err := tx.At(ctx, free.At(e.Label))
		if err != nil {
			return free, number, err
		}
		seen := func(other Entry) bool { return other.InContext || other.Owner == e.Owner }
		if !slices.ContainsFunc(others, seen) {
			return free, number, nil
		}
		number++
		suffix := fmt.Sprintf("~%d", number)
		free.Key = cutName(e.Key, MaxKey-len(suffix)) + suffix
	}
}

// fitted returns a path whose names are within MaxNamespace and MaxKey, which normalization may
// have made longer. A name that is too long is cut, and ends with a digest of the whole name.
func fitted(p Path) Path {
	fit := func(name string, most int) string {
		if len(name) <= most {
			return name
		}
		sum := sha256.Sum256([]byte(name))
		end := "~" + hex.EncodeToString(sum[:8])
		return cutName(name, most-len(end)) + end
	}
	return Path{p.Store, fit(p.Namespace, MaxNamespace), fit(p.Key, MaxKey)}
}

// cutName returns at most the first most bytes of a name, without splitting a character and
// without '/' at the end.
func cutName(name string, most int) string {
	if len(name) <= most {
		return name
	}
	for !utf8.RuneStart(name[most]) {
		most--
	}
	return NormalName(strings.TrimRight(name[:most], "/"))
}
