package postgres

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
)

// pending are changes of one transaction that are gathered in memory and
// written together: an import writes the same blocks, totals and counters for
// nearly each of its entries. The locks on their stores keep what they are
// added to as it is.
type pending struct {
	postings map[postingKey][]change
	totals   map[totalKey]total
	usage    map[usageKey]memory.Usage
}

type (
	postingKey struct {
		store int64
		term  string
		label acl.Label
		block int32
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

func (k postingKey) compare(o postingKey) int {
	return cmp.Or(cmp.Compare(k.store, o.store), strings.Compare(k.term, o.term), cmp.Compare(k.label, o.label), cmp.Compare(k.block, o.block))
}

func newPending() pending {
	return pending{postings: make(map[postingKey][]change), totals: make(map[totalKey]total), usage: make(map[usageKey]memory.Usage)}
}

// index makes next what was found as last; nil: nothing.
func (p *pending) index(last, next *document) error {
	if last != nil && next != nil && last.store == next.store && last.place == next.place && last.label == next.label &&
		last.length == next.length && bytes.Equal(last.terms, next.terms) {
		return nil
	}
	// Removals before additions: of two changes to one posting the later one
	// counts.
	if last != nil {
		if err := p.add(last, -1); err != nil {
			return err
		}
	}
	if next != nil {
		return p.add(next, 1)
	}
	return nil
}

// add notes that a document comes (sign 1) or goes (-1).
func (p *pending) add(d *document, sign int64) error {
	key := totalKey{d.store, d.label}
	t := p.totals[key]
	p.totals[key] = total{t.documents + sign, t.length + sign*int64(d.length)}
	length := uint32(min(d.length, math.MaxUint32))
	return decodeTerms(d.terms, func(term string, count uint8) {
		if sign < 0 {
			count = 0
		}
		key := postingKey{d.store, term, d.label, int32(d.place >> blockBits)}
		p.postings[key] = append(p.postings[key], change{slot: uint8(d.place & (blockSize - 1)), count: count, length: length})
	})
}

// weigh notes that entries and bytes come or go.
func (p *pending) weigh(key usageKey, entries, bytes int64) {
	u := p.usage[key]
	p.usage[key] = memory.Usage{Entries: u.Entries + entries, Bytes: u.Bytes + bytes}
}

const (
	// manyPostings and manyPortions bound what is gathered, of blocks and of
	// statements that write them.
	manyPostings = 500_000
	manyPortions = 40
)

const (
	addTotals = `INSERT INTO total (store, label, documents, length)
	SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
	ON CONFLICT (store, label) DO UPDATE SET documents = total.documents + excluded.documents, length = total.length + excluded.length`
	addUsage = `INSERT INTO usage (store, label, owner, entries, bytes)
	SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::bigint[], $5::bigint[])
	ON CONFLICT (store, label, owner) DO UPDATE SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes`
)

// flushIndex writes what is pending. It runs before the commit and before
// anything in the transaction that reads it.
func (w *writer) flushIndex(ctx context.Context) error {
	p := w.pending
	w.seeEverything()
	w.pending = newPending()
	var stores, documents, lengths, entries, sizes []int64
	var labels []int16
	var owners []string
	for key, t := range p.totals {
		stores, labels = append(stores, key.store), append(labels, int16(key.label))
		documents, lengths = append(documents, t.documents), append(lengths, t.length)
	}
	if len(stores) > 0 {
		w.later(addTotals, stores, labels, documents, lengths)
	}
	stores, labels = nil, nil
	for key, u := range p.usage {
		stores, labels, owners = append(stores, key.store), append(labels, int16(key.label)), append(owners, key.owner)
		entries, sizes = append(entries, u.Entries), append(sizes, u.Bytes)
	}
	if len(stores) > 0 {
		w.later(addUsage, stores, labels, owners, entries, sizes)
	}
	// In the order of the table, for the sake of its pages; in portions, for
	// the sake of memory.
	keys := slices.SortedFunc(maps.Keys(p.postings), postingKey.compare)
	for portion := range slices.Chunk(keys, 5000) {
		if err := w.writePostings(ctx, portion, p.postings); err != nil {
			return err
		}
		if w.waiting != nil && w.waiting.Len() > manyPortions {
			if err := w.sendWaiting(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks are rows of table posting, as parameters.
type blocks struct {
	stores []int64
	labels []int16
	blocks []int32
	terms  [][]byte
	data   [][]byte
}

func (b *blocks) add(key postingKey, data []byte) {
	b.stores, b.labels, b.blocks = append(b.stores, key.store), append(b.labels, int16(key.label)), append(b.blocks, key.block)
	b.terms, b.data = append(b.terms, []byte(key.term)), append(b.data, data)
}

const (
	blockKeys    = `unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bytea[])`
	selectBlocks = `SELECT k.place, p.data FROM ` + blockKeys + ` WITH ORDINALITY k (store, label, block, term, place)
	JOIN posting p ON p.store = k.store AND p.term = k.term AND p.label = k.label AND p.block = k.block`
	writeBlocks = `INSERT INTO posting (store, label, block, term, data)
	SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bytea[], $5::bytea[])
	ON CONFLICT (store, term, label, block) DO UPDATE SET data = `
	appendBlocks  = writeBlocks + `posting.data || excluded.data`
	replaceBlocks = writeBlocks + `excluded.data`
	deleteBlocks  = `DELETE FROM posting p USING ` + blockKeys + ` k (store, label, block, term)
	WHERE p.store = k.store AND p.term = k.term AND p.label = k.label AND p.block = k.block`
)

// writePostings applies the changes of some blocks. Where postings are only
// added, as in every import, the blocks are not read.
func (w *writer) writePostings(ctx context.Context, keys []postingKey, changes map[postingKey][]change) error {
	var appended, read, replaced, removed blocks
	var again []postingKey
	for _, key := range keys {
		if data, ok := additions(changes[key]); ok {
			appended.add(key, data)
			continue
		}
		again = append(again, key)
		read.add(key, nil)
	}
	if len(appended.stores) > 0 {
		w.later(appendBlocks, appended.stores, appended.labels, appended.blocks, appended.terms, appended.data)
	}
	if len(again) == 0 {
		return nil
	}
	err := w.each(ctx, func(rows pgx.Rows) error {
		var place int64
		var data []byte
		if err := rows.Scan(&place, &data); err != nil {
			return err
		}
		read.data[place-1] = data
		return nil
	}, selectBlocks, read.stores, read.labels, read.blocks, read.terms)
	if err != nil {
		return err
	}
	for i, key := range again {
		data, err := rewrite(read.data[i], changes[key])
		switch {
		case err != nil:
			return err
		case len(data) > 0:
			replaced.add(key, data)
		default:
			removed.add(key, nil)
		}
	}
	if len(replaced.stores) > 0 {
		w.later(replaceBlocks, replaced.stores, replaced.labels, replaced.blocks, replaced.terms, replaced.data)
	}
	if len(removed.stores) > 0 {
		w.later(deleteBlocks, removed.stores, removed.labels, removed.blocks, removed.terms)
	}
	return nil
}
