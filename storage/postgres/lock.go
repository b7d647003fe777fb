package postgres

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A writing transaction holds an advisory lock on each store that it uses, from before its
// first read of the store until its commit. It runs at READ COMMITTED, so that it reads the
// latest state under the lock: transactions on one store are serialized, and transactions on
// different stores run concurrently. Access facts (grants, memberships) are read under the lock
// of the store to which they give access. Database settings and idempotency records have their
// own locks.
//
// Two transactions that take two locks in opposite order deadlock. PostgreSQL aborts one of
// them, and Update retries it. The last retries hold the database lock exclusively, so that the
// transaction waits for no other while it holds a lock.

// lockKey returns the key of an advisory lock. A hash collision only makes unrelated
// transactions wait for each other.
func lockKey(kind, name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("mneme\x00" + kind + "\x00" + name)) // never fails
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

func storeKey(store string) int64 { return lockKey("store", store) }

// databaseLock is held shared by every writing transaction, and exclusively while a dump is
// loaded: the locks of all its stores would not fit into the server's lock table. A transaction
// that has lost too many conflicts also holds it exclusively.
var databaseLock = lockKey("everything", "")

// lock acquires the locks that the transaction does not hold yet, in key order.
func (d *driver) lock(ctx context.Context, keys ...int64) error {
	if d.exclusive {
		return nil
	}
	missing := d.missing(keys)
	if len(missing) == 0 {
		return nil
	}
	query, args := takeLock(missing)
	if err := d.each(ctx, skip, query, args...); err != nil {
		return err
	}
	for _, key := range missing {
		d.heldLocks[key] = true
	}
	return nil
}

// takeLock returns the statement that acquires locks.
func takeLock(keys []int64) (query string, args []any) {
	if len(keys) == 1 {
		return "lock.take", []any{keys[0], databaseLock}
	}
	return "lock.take_many", []any{keys, databaseLock}
}

// missing returns the locks that the transaction does not hold yet, in key order.
func (d *driver) missing(keys []int64) []int64 {
	missing := slices.DeleteFunc(keys, func(key int64) bool { return d.heldLocks[key] })
	slices.Sort(missing)
	return slices.Compact(missing)
}

// queueLock queues the acquisition of locks before the next query.
func (d *driver) queueLock(keys ...int64) {
	if missing := d.missing(keys); len(missing) > 0 && !d.exclusive {
		query, args := takeLock(missing)
		d.queueStatement(query, args...)
		for _, key := range missing {
			d.heldLocks[key] = true
		}
	}
}

// lockAll acquires the database lock exclusively.
func (w *writer) lockAll(ctx context.Context) error {
	if w.exclusive {
		return nil
	}
	w.prefetched.forgetAll()
	if err := w.each(ctx, skip, "lock.take_alone", databaseLock); err != nil {
		return err
	}
	w.exclusive = true
	return nil
}

// lockEntries acquires the locks of the stores that contain the entries. An entry may move
// before its lock is held, so the stores are read again.
func (d *driver) lockEntries(ctx context.Context, ids []uuid.UUID) error {
	d.setRLSAll()
	for {
		var keys []int64
		err := d.each(ctx, func(rows pgx.Rows) error {
			var store string
			err := rows.Scan(&store)
			if key := storeKey(store); !d.heldLocks[key] {
				keys = append(keys, key)
			}
			return err
		}, "store.of_entries", idList(ids))
		if err != nil || len(keys) == 0 || d.exclusive {
			return err
		}
		if err := d.lock(ctx, keys...); err != nil {
			return err
		}
	}
}

// skip ignores a row.
func skip(pgx.Rows) error { return nil }
