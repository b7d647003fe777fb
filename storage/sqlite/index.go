package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"strings"

	"mneme/acl"
	"mneme/memory"
)

// pending are changes of one transaction that are gathered in memory and
// written together: an import writes the same blocks, totals and counters for
// nearly each of its entries.
type pending struct {
	postings map[postingKey][]posting
	totals   map[totalKey]total
	usage    map[usageKey]memory.Usage
	// settled is a doc above which no block can begin or hold anything: the
	// last one from before the transaction, or from before the last flush.
	settled int64
	newest  int64 // the last doc that was added, 0: none
}

type (
	postingKey struct {
		store int64
		term  string
		label acl.Label
	}
	totalKey struct {
		store int64
		label acl.Label
	}
	usageKey struct {
		store int64
		label acl.Label
		owner string
	}
	total struct{ documents, length int64 }
)

// add notes that a document comes (sign 1) or goes (-1).
func (p *pending) add(doc int64, d document, sign int64) error {
	if p.postings == nil {
		p.postings = make(map[postingKey][]posting)
		p.totals = make(map[totalKey]total)
	}
	key := totalKey{d.store, d.label}
	t := p.totals[key]
	p.totals[key] = total{t.documents + sign, t.length + sign*int64(d.length)}
	length := uint32(min(d.length, math.MaxUint32))
	return decodeTerms(d.terms, func(term string, count int) {
		if sign < 0 {
			count = 0
		}
		key := postingKey{d.store, term, d.label}
		p.postings[key] = append(p.postings[key], posting{doc: doc, count: uint32(count), length: length})
	})
}

// created notes a doc that is above all others.
func (p *pending) created(doc int64) {
	if p.newest == 0 {
		p.settled = doc - 1
	}
	p.newest = doc
}

// weigh notes that entries and bytes come or go.
func (p *pending) weigh(key usageKey, entries, bytes int64) {
	if p.usage == nil {
		p.usage = make(map[usageKey]memory.Usage)
	}
	u := p.usage[key]
	p.usage[key] = memory.Usage{Entries: u.Entries + entries, Bytes: u.Bytes + bytes}
}

const (
	addTotal = `INSERT INTO total (store, label, documents, length) VALUES (?, ?, ?, ?)
	ON CONFLICT DO UPDATE SET documents = documents + excluded.documents, length = length + excluded.length`
	addUsage = `INSERT INTO usage (store, label, owner, entries, bytes) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes`
)

// flush writes what is pending. It runs before the commit and before anything
// in the transaction that reads it.
func (w *writer) flush(ctx context.Context) error {
	p := &w.pending
	for key, u := range p.usage {
		if u != (memory.Usage{}) {
			if _, err := w.exec(ctx, addUsage, key.store, key.label, key.owner, u.Entries, u.Bytes); err != nil {
				return err
			}
		}
	}
	clear(p.usage)
	for key, t := range p.totals {
		if t != (total{}) {
			if _, err := w.exec(ctx, addTotal, key.store, key.label, t.documents, t.length); err != nil {
				return err
			}
		}
	}
	clear(p.totals)
	// In the order of the table, for the sake of its pages.
	keys := slices.SortedFunc(maps.Keys(p.postings), func(a, b postingKey) int {
		switch {
		case a.store != b.store:
			return int(min(max(a.store-b.store, -1), 1))
		case a.term != b.term:
			return strings.Compare(a.term, b.term)
		}
		return int(a.label) - int(b.label)
	})
	for _, key := range keys {
		if err := w.writePostings(ctx, key, settle(p.postings[key])); err != nil {
			return err
		}
	}
	clear(p.postings)
	p.settled = max(p.settled, p.newest)
	return nil
}

const (
	selectBlock = `SELECT first, block FROM posting
	WHERE store = ? AND term = ? AND label = ? AND first <= ? ORDER BY first DESC LIMIT 1`
	selectNextBlock = `SELECT first FROM posting
	WHERE store = ? AND term = ? AND label = ? AND first > ? ORDER BY first LIMIT 1`
	insertBlock = `INSERT INTO posting (store, term, label, first, block) VALUES (?, ?, ?, ?, ?)`
	updateBlock = `UPDATE posting SET block = ? WHERE store = ? AND term = ? AND label = ? AND first = ?`
	deleteBlock = `DELETE FROM posting WHERE store = ? AND term = ? AND label = ? AND first = ?`
)

// writePostings applies the changes of one term, sorted by doc, to its blocks.
func (w *writer) writePostings(ctx context.Context, key postingKey, changes []posting) error {
	for len(changes) > 0 {
		doc := changes[0].doc
		first, old, known, err := w.block(ctx, key, doc)
		if err != nil {
			return err
		}
		if !known {
			first = doc
		}
		// The changes before the next block are this one's. After a doc that
		// is new there is no other block.
		n := len(changes)
		isNew := w.pending.newest != 0 && doc > w.pending.settled
		if n > 1 && !isNew {
			next := int64(math.MaxInt64)
			if _, err := w.one(ctx, []any{&next}, selectNextBlock, key.store, key.term, key.label, max(first, doc)); err != nil {
				return err
			}
			n, _ = slices.BinarySearchFunc(changes, next, func(p posting, next int64) int {
				if p.doc < next {
					return -1
				}
				return 1
			})
		}
		if err := w.writeBlock(ctx, key, first, known, old, changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// block finds the block of a term that a doc falls into.
func (w *writer) block(ctx context.Context, key postingKey, doc int64) (first int64, postings []posting, known bool, err error) {
	err = w.each(ctx, func(rows *sql.Rows) error {
		var bytes sql.RawBytes
		if err := rows.Scan(&first, &bytes); err != nil {
			return err
		}
		known = true
		w.scratch, err = decodeBlock(w.scratch[:0], first, bytes)
		return err
	}, selectBlock, key.store, key.term, key.label, doc)
	return first, w.scratch, known, err
}

// writeBlock applies changes to one block: its row is written anew, cut in
// several, or removed.
func (w *writer) writeBlock(ctx context.Context, key postingKey, first int64, known bool, old, changes []posting) error {
	if !known {
		old = nil
	}
	merged := merge(old, changes)
	appended := len(old) == 0 || len(merged) > 0 && merged[len(merged)-1].doc > old[len(old)-1].doc
	blocks := encodeBlocks(first, merged, appended)
	if known && len(blocks) == 0 {
		_, err := w.exec(ctx, deleteBlock, key.store, key.term, key.label, first)
		return err
	}
	for i, b := range blocks {
		var err error
		if known && i == 0 {
			_, err = w.exec(ctx, updateBlock, b.bytes, key.store, key.term, key.label, b.first)
		} else {
			_, err = w.exec(ctx, insertBlock, key.store, key.term, key.label, b.first, b.bytes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
