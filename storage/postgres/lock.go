package postgres

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A writing transaction holds an advisory lock on each store that it uses, from
// before its first read of the store until its commit. It runs at READ
// COMMITTED, so that it reads the latest state under the lock: transactions of
// one store are serial, those of different stores concurrent. Facts of access
// (grants, memberships) are read under the lock of the store to which they give
// access, settings of the whole database and idempotency records under locks of
// their own.
//
// Two transactions that take two locks in opposite order deadlock; PostgreSQL
// aborts one of them, and it is retried.

// lockKey returns the key of an advisory lock. Names whose keys collide wait for
// each other needlessly, no more.
func lockKey(kind, name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("mneme\x00" + kind + "\x00" + name)) // never fails
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

func storeKey(store string) int64 { return lockKey("store", store) }

// databaseLock is shared by every writing transaction, and exclusive while a
// dump is loaded: locks of all its stores would not fit the server's table.
var databaseLock = lockKey("everything", "")

const (
	takeLocks   = `SELECT pg_advisory_xact_lock_shared($2), (SELECT count(pg_advisory_xact_lock(k)) FROM unnest($1::bigint[]) k)`
	takeAllLock = `SELECT pg_advisory_xact_lock($1)`
)

// lock takes the locks that the transaction does not hold yet, in the order of
// their keys.
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
	if err := w.each(ctx, skip, takeLocks, missing, databaseLock); err != nil {
		return err
	}
	for _, key := range missing {
		w.held[key] = true
	}
	return nil
}

// lockAll excludes all other writing transactions.
func (w *writer) lockAll(ctx context.Context) error {
	if w.alone {
		return nil
	}
	if err := w.each(ctx, skip, takeAllLock, databaseLock); err != nil {
		return err
	}
	w.alone = true
	return nil
}

const selectStoresOf = `SELECT DISTINCT s.id FROM entry e JOIN store s ON s.number = e.store WHERE e.id = ANY($1)`

// lockEntries takes the locks of the stores that contain the entries. An entry
// may move until the locks are held, so the stores are read again.
func (w *writer) lockEntries(ctx context.Context, ids []uuid.UUID) error {
	w.setRLSAll()
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

// skip ignores a row.
func skip(pgx.Rows) error { return nil }
