package memory

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"mneme/lexical"
)

// The settings that name the versions of the analysis by which the database's texts were
// turned into terms and into forms.
const (
	analysisMeta = "analysis"
	formsMeta    = "forms"
)

// analysisBatch is how many entries analyzeAgain analyzes in one transaction.
const analysisBatch = 200

// analyzeAgain writes the terms and forms of every entry if the database was written
// under other versions of them than this build's, and has the entries embedded again
// whose vectors are of another text. An interrupted filling begins again. Other processes
// may write meanwhile.
func analyzeAgain(ctx context.Context, storage Storage, log *slog.Logger, now time.Time) error {
	var terms, forms []byte
	err := storage.View(ctx, func(tx ReadTx) (err error) {
		if terms, err = tx.Meta(ctx, analysisMeta); err != nil {
			return err
		}
		forms, err = tx.Meta(ctx, formsMeta)
		return err
	})
	if err != nil || string(terms) == lexical.AnalysisVersion && string(forms) == lexical.FormVersion {
		return err
	}
	filled := 0
	var after uuid.UUID
	for batch := -1; batch != 0; {
		err := storage.Update(ctx, func(tx Tx) error {
			entries, err := tx.List(ctx, SearchableQuery{After: after, Limit: analysisBatch})
			if err != nil {
				return err
			}
			if batch = len(entries); batch == 0 {
				return setAnalysis(ctx, tx)
			}
			after = entries[batch-1].ID
			return putDocuments(ctx, tx, entries, now)
		})
		if err != nil {
			return err
		}
		if filled == 0 && batch > 0 {
			log.InfoContext(ctx, "analyzing the texts of this database again, which an earlier version wrote")
		}
		filled += batch
	}
	if filled > 0 {
		log.InfoContext(ctx, "analyzed the texts again", "entries", filled)
	}
	return nil
}

// setAnalysis records that the database has this build's terms and forms.
func setAnalysis(ctx context.Context, tx MetaWriter) error {
	if err := tx.SetMeta(ctx, analysisMeta, []byte(lexical.AnalysisVersion)); err != nil {
		return err
	}
	return tx.SetMeta(ctx, formsMeta, []byte(lexical.FormVersion))
}

// putDocuments writes the terms and forms of entries.
func putDocuments(ctx context.Context, tx DocumentWriter, entries []Entry, now time.Time) error {
	for i := range entries {
		e := &entries[i]
		var queuedAt time.Time
		if !embeddedAlike(e) {
			queuedAt = now
		}
		if err := tx.PutDocument(ctx, *e, document(e), queuedAt); err != nil {
			return err
		}
	}
	return nil
}

// embeddedAlike reports whether analysis "1" made vectors of the same text of an entry: of
// JSON it had the strings alone, letters were not those of NFKC, and an entry without
// text had the vector of an empty one.
func embeddedAlike(e *Entry) bool {
	return IsText(e.Value) && norm.NFKC.IsNormal(e.Value) && HasMeaning(e)
}
