package sqlite

import (
	"context"

	"mneme/lexical/posting"
)

// document reads what the lexical index has recorded of an entry: its terms, length and label.
// It returns nil if the entry is not indexed.
func (w *writer) document(ctx context.Context, doc int64) (*posting.Document, error) {
	d := posting.Document{DocKey: posting.DocKey{Doc: doc}}
	found, err := w.one(ctx, []any{&d.Store, &d.Label, &d.Length, &d.Terms}, "document.of", doc)
	if err != nil || !found {
		return nil, err
	}
	return &d, nil
}

// index replaces what the lexical index has of an entry. next is nil if the entry is to be
// removed. Postings and totals are collected until flush.
func (w *writer) index(ctx context.Context, doc int64, isNew bool, next *posting.Document) error {
	var old *posting.Document
	if !isNew {
		var err error
		if old, err = w.document(ctx, doc); err != nil {
			return err
		}
	}
	changed, err := w.postings.Replace(old, next)
	if err != nil || !changed {
		return err
	}
	if next == nil {
		_, err = w.exec(ctx, "document.delete", doc)
	} else {
		_, err = w.exec(ctx, "document.put", doc, next.Store, next.Label, next.Length, next.Terms)
	}
	return err
}
