package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"mneme/acl"
	"mneme/lexical"
)

// document is what an entry is indexed by.
type document struct {
	store  int64
	label  acl.Label
	length int
	terms  []byte // encodeTerms
}

var errTerms = errors.New("sqlite: a document's terms are damaged")

// encodeTerms keeps sorted terms, each as the number of bytes that it shares
// with the one before, the number of those that follow, these, and its count.
func encodeTerms(terms []lexical.Term) []byte {
	b := []byte{} // not null
	before := ""
	for _, t := range terms {
		shared := 0
		for shared < len(before) && shared < len(t.Text) && before[shared] == t.Text[shared] {
			shared++
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = binary.AppendUvarint(b, uint64(len(t.Text)-shared))
		b = append(b, t.Text[shared:]...)
		b = binary.AppendUvarint(b, uint64(t.Count))
		before = t.Text
	}
	return b
}

// decodeTerms calls yield for each term that encodeTerms wrote.
func decodeTerms(b []byte, yield func(term string, count int)) error {
	var term []byte
	next := func() (uint64, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, false
		}
		b = b[n:]
		return v, true
	}
	for len(b) > 0 {
		shared, ok := next()
		if !ok || shared > uint64(len(term)) {
			return errTerms
		}
		size, ok := next()
		if !ok || size > uint64(len(b)) {
			return errTerms
		}
		term = append(term[:shared], b[:size]...)
		b = b[size:]
		count, ok := next()
		if !ok {
			return errTerms
		}
		yield(string(term), int(count))
	}
	return nil
}

const (
	selectDocument = "SELECT store, label, length, terms FROM document WHERE doc = ?"
	insertDocument = "INSERT OR REPLACE INTO document (doc, store, label, length, terms) VALUES (?, ?, ?, ?, ?)"
	deleteDocument = "DELETE FROM document WHERE doc = ?"
)

// index makes next what the entry is found by; nil: nothing. Postings and
// totals wait in w.pending until flush.
func (w *writer) index(ctx context.Context, doc int64, isNew bool, next *document) error {
	var last document
	known := false
	if !isNew {
		var err error
		known, err = w.one(ctx, []any{&last.store, &last.label, &last.length, &last.terms}, selectDocument, doc)
		if err != nil {
			return err
		}
	}
	if known && next != nil && last.store == next.store && last.label == next.label &&
		last.length == next.length && bytes.Equal(last.terms, next.terms) {
		return nil
	}
	if known {
		// Removals before additions: of two changes to one posting the later
		// one counts.
		if err := w.pending.add(doc, last, -1); err != nil {
			return err
		}
	}
	if next == nil {
		if !known {
			return nil
		}
		_, err := w.exec(ctx, deleteDocument, doc)
		return err
	}
	if err := w.pending.add(doc, *next, 1); err != nil {
		return err
	}
	_, err := w.exec(ctx, insertDocument, doc, next.store, next.label, next.length, next.terms)
	return err
}
