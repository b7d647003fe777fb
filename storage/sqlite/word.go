package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// mergeWords merges the index into one segment.
func (w *writer) mergeWords(ctx context.Context) error {
	_, err := w.exec(ctx, "word.merge")
	return err
}

// rewriteWords rewrites the index, after mergeWords, without deleted entries: until then, FTS5
// stores them in segments, together with a record of their deletion. FTS5 drops both when it
// merges segments of different levels, but not always for segments of one level. So the segment
// is merged again with two new ones, of a key and of its deletion. A segment of one page would
// move to their level, so an index of one page is rebuilt.
func (w *writer) rewriteWords(ctx context.Context) error {
	var pages int
	if _, err := w.one(ctx, []any{&pages}, "word.count_pages"); err != nil {
		return err
	}
	if pages < 2 {
		return w.rebuildWords(ctx)
	}
	for _, change := range [...]string{"word.insert", "word.delete"} {
		if _, err := w.exec(ctx, change, 0, "none"); err != nil {
			return err
		}
	}
	return w.mergeWords(ctx)
}

// rebuildWords rebuilds the index from the forms of the entries.
func (w *writer) rebuildWords(ctx context.Context) error {
	if _, err := w.exec(ctx, "word.clear"); err != nil {
		return err
	}
	return w.each(ctx, func(rows *sql.Rows) error {
		var doc, store int64
		var label acl.Label
		var forms string
		if err := rows.Scan(&doc, &store, &label, &forms); err != nil {
			return err
		}
		_, err := w.exec(ctx, "word.insert", doc, lexical.FormKeys(store, label, strings.Fields(forms)))
		return err
	}, "word.all_forms")
}

// replaceForms replaces the forms of words by which Matching finds an entry. old is the previous
// row, the zero row for a new one. It writes only the differences to the index. That suffices,
// because this FTS5 table has neither content nor sizes, and so no list of a row's terms.
func (w *writer) replaceForms(ctx context.Context, old, next storedRow, forms []string) error {
	indexed := next.Indexed()
	if !indexed {
		forms = nil
	}
	var before []string
	found := false
	if old.doc != 0 {
		var text string
		var err error
		if found, err = w.one(ctx, []any{&text}, "word.forms", old.doc); err != nil {
			return err
		}
		before = strings.Fields(text)
	}
	removed, added := before, forms
	if old.Store == next.Store && old.Label == next.Label {
		removed, added = lexical.Without(before, forms), lexical.Without(forms, before)
	}
	if len(removed) == 0 && len(added) == 0 && found == indexed {
		return nil
	}
	// FTS5 counts rows: each deletion must follow an insertion, even of no keys.
	if found {
		w.words = append(w.words, sqlcommon.Query{Text: "word.delete", Args: []any{next.doc, lexical.FormKeys(old.Store, old.Label, removed)}})
	}
	if !indexed {
		_, err := w.exec(ctx, "word.delete_forms", next.doc)
		return err
	}
	w.words = append(w.words, sqlcommon.Query{Text: "word.insert", Args: []any{next.doc, lexical.FormKeys(next.Store, next.Label, added)}})
	_, err := w.exec(ctx, "word.put_forms", next.doc, " "+strings.Join(forms, " ")+" ")
	return err
}

// PutDocument implements memory.DocumentWriter.
func (w *writer) PutDocument(ctx context.Context, entry memory.Entry, doc lexical.Document, queuedAt time.Time) error {
	row, found, err := w.storedRow(ctx, entry.ID)
	if err != nil || !found {
		return err
	}
	if err := w.indexEntry(ctx, row, doc, false); err != nil {
		return err
	}
	if err := w.replaceForms(ctx, row, row, doc.Forms); err != nil || queuedAt.IsZero() {
		return err
	}
	return w.enqueue(ctx, row, row.Revision, indexer.Chunks(&entry), queuedAt)
}

// Terms implements memory.LexicalLeg.
func (w *writeTx) Terms(ctx context.Context, scope acl.Scope, query memory.TermQuery) (terms []string, more bool, err error) {
	if err := w.flush(ctx); err != nil {
		return nil, false, err
	}
	return w.Reads.Terms(ctx, scope, query)
}

// ManyTerms implements memory.LexicalLeg.
func (w *writeTx) ManyTerms(ctx context.Context, scope acl.Scope, query memory.TermQuery) (bool, error) {
	if err := w.flush(ctx); err != nil {
		return false, err
	}
	return w.Reads.ManyTerms(ctx, scope, query)
}

// wordPath returns the FROM clause for the entries of the scope whose forms match a query.
func (r *reader) wordPath(ctx context.Context, q *arguments, words lexical.FormQuery) (string, error) {
	list := [][3]any{} // store, label, expression; json_each of null would have a row
	err := r.each(ctx, func(rows *sql.Rows) error {
		var store int64
		var label acl.Label
		if err := rows.Scan(&store, &label); err != nil {
			return err
		}
		list = append(list, [3]any{store, int(label), expression(lexical.Partition(store, label), words)})
		return nil
	}, "posting.partitions", q.Args[0])
	if err != nil {
		return "", err
	}
	partitions, err := json.Marshal(list)
	q.Arg(string(partitions))
	return withWords, err
}

// expression returns a query on the forms of a partition, in FTS5's syntax.
func expression(partition string, q lexical.FormQuery) string {
	formula := func(e lexical.FormExpr) string {
		return e.Formula(" AND ", " OR ", func(form string, prefix bool) string {
			key := `"` + lexical.FormKey(partition, form) + `"` // no key contains a quote
			if prefix {
				key += "*"
			}
			return key
		})
	}
	text := formula(q.Some)
	for _, none := range q.None {
		text += " NOT " + formula(none)
	}
	return text
}

// Matching implements memory.CandidateReader.
func (w *writer) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, ids []uuid.UUID, limit int) ([]uuid.UUID, bool, error) {
	if err := w.flush(ctx); err != nil {
		return nil, false, err
	}
	return w.reader.Matching(ctx, scope, filter, ids, limit)
}
