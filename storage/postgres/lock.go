package postgres

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A writing transaction holds an advisory lock on each store that it touches,
// from before it first reads of the store until it has committed. It runs at
// READ COMMITTED, so that what it reads under the lock is the latest: the
// transactions of one store run one after the other, and those of different
// stores side by side. Facts of access (grants, memberships) are read under
// the lock of the store they open, settings of the whole database and replay
// records under locks of their own.
//
// Two that take two locks in opposite order deadlock; PostgreSQL ends one of
// them, and it runs again.

// lockKey is a lock's number. Two names with one number only wait for each
// other without need.
func lockKey(kind, name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("mneme\x00" + kind + "\x00" + name)) // never fails
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

func storeKey(store string) int64 { return lockKey("store", store) }

// everything is the lock that each writing transaction shares, and that the
// loading of a dump has for itself: it would need more locks than the server
// has room for.
var everything = lockKey("everything", "")

const (
	takeLocks   = `SELECT pg_advisory_xact_lock_shared($2), (SELECT count(pg_advisory_xact_lock(k)) FROM unnest($1::bigint[]) k)`
	takeAllLock = `SELECT pg_advisory_xact_lock($1)`
)

// lock takes locks that the transaction does not have, in the order of their
// numbers.
func (w *writer) lock(ctx context.Context, keys ...int64) error {
	if w.alone {
		return nil
	}
	missing := slices.DeleteFunc(keys, func(key int64) bool { return w.held[key] })
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	if err := w.each(ctx, skip, takeLocks, missing, everything); err != nil {
		return err
	}
	for _, key := range missing {
		w.held[key] = true
	}
	return nil
}

// lockAll waits until no other transaction writes, and lets none in.
func (w *writer) lockAll(ctx context.Context) error {
	if w.alone {
		return nil
	}
	if err := w.each(ctx, skip, takeAllLock, everything); err != nil {
		return err
	}
	w.alone = true
	return nil
}

const selectStoresOf = `SELECT DISTINCT s.id FROM entry e JOIN store s ON s.number = e.store WHERE e.id = ANY($1)`

// lockEntries takes the locks of the stores that entries are in. An entry may
// have moved on until the locks are there, hence the second look.
func (w *writer) lockEntries(ctx context.Context, ids []uuid.UUID) error {
	w.seeEverything()
	for {
		var keys []int64
		err := w.each(ctx, func(rows pgx.Rows) error {
			var store string
			err := rows.Scan(&store)
			if key := storeKey(store); !w.held[key] {
				keys = append(keys, key)
			}
			return err
		}, selectStoresOf, idList(ids))
		if err != nil || len(keys) == 0 || w.alone {
			return err
		}
		if err := w.lock(ctx, keys...); err != nil {
			return err
		}
	}
}

// skip reads a row of no interest.
func skip(pgx.Rows) error { return nil }
