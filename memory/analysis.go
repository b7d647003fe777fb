package memory

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"mneme/lexical"
)

// The settings with the versions of the analysis by which the database's terms and forms were
// made from its texts. While the texts are being analyzed again, analysisMeta holds the
// progress: a value of analyzedUpTo.
const (
	analysisMeta = "analysis"
	formsMeta    = "forms"
)

// analysisBatch is the number of entries that analyzeAgain analyzes in one transaction.
const analysisBatch = 200

// beingAnalyzed is the prefix of analysisMeta while this build analyzes the texts again.
const beingAnalyzed = lexical.AnalysisVersion + " " + lexical.FormVersion + " "

// analyzedUpTo is the value of analysisMeta once the entries up to an ID are analyzed again. It
// equals no build's version: if another build opens the database, it analyzes all entries.
func analyzedUpTo(last uuid.UUID) []byte { return []byte(beingAnalyzed + last.String()) }

// analyzeAgain writes the terms and forms of every entry if other analysis versions than this
// build's made those in the database. It also queues the entries whose vectors were made from
// another text. It resumes an interrupted run, since a supervisor may stop a process that takes
// long to start. Other processes may write meanwhile, but terms that another version of mneme
// writes after an entry's turn are not analyzed again.
func analyzeAgain(ctx context.Context, storage Storage, log *slog.Logger, now time.Time) error {
	found, err := readMetas(ctx, storage, analysisMeta, formsMeta)
	if err != nil || found[analysisMeta] == lexical.AnalysisVersion && found[formsMeta] == lexical.FormVersion {
		return err
	}
	var after uuid.UUID
	if last, ok := strings.CutPrefix(found[analysisMeta], beingAnalyzed); ok {
		if after, err = uuid.Parse(last); err != nil {
			return err
		}
	}
	left, err := countSearchable(ctx, storage, after)
	if err != nil {
		return err
	}
	filled := 0
	for batch := -1; batch != 0; {
		var last uuid.UUID
		err := storage.Update(ctx, func(tx Tx) error {
			entries, err := tx.Searchable(ctx, after, analysisBatch)
			if err != nil {
				return err
			}
			if batch = len(entries); batch == 0 {
				return setAnalysis(ctx, tx)
			}
			last = entries[batch-1].ID
			if err := putDocuments(ctx, tx, entries, now); err != nil {
				return err
			}
			return tx.SetMeta(ctx, analysisMeta, analyzedUpTo(last))
		})
		if err != nil {
			return err
		}
		after = last
		if filled == 0 && batch > 0 {
			log.InfoContext(ctx, "analyzing the texts of this database again: an earlier version wrote them")
		}
		if filled += batch; batch > 0 {
			reportEntries(ctx, "analyzing its texts again", filled, left)
		}
	}
	if filled > 0 {
		log.InfoContext(ctx, "analyzed the texts again", "entries", filled)
	}
	return nil
}

// countSearchable counts the searchable entries after an ID.
func countSearchable(ctx context.Context, storage Storage, after uuid.UUID) (n int64, err error) {
	err = storage.View(ctx, func(tx ReadTx) error {
		n, err = tx.CountSearchable(ctx, after)
		return err
	})
	return n, err
}

// reportEntries reports that done of all entries are done. Other processes may add entries
// meanwhile, so done may exceed all.
func reportEntries(ctx context.Context, step string, done int, all int64) {
	ReportProgress(ctx, fmt.Sprintf("%s, %d of %d entries", step, done, max(all, int64(done))))
}

// IsCurrent reports whether the names, terms and forms of a database are those of this build.
// If not, New rewrites them.
func IsCurrent(ctx context.Context, storage Storage) (bool, error) {
	found, err := readMetas(ctx, storage, analysisMeta, formsMeta, namesMeta)
	return err == nil && found[analysisMeta] == lexical.AnalysisVersion && found[formsMeta] == lexical.FormVersion && found[namesMeta] == norm.Version, err
}

// readMetas returns settings of the whole database by name, with "" for those never set.
func readMetas(ctx context.Context, storage Storage, names ...string) (map[string]string, error) {
	found := make(map[string]string)
	err := storage.View(ctx, func(tx ReadTx) error {
		for _, name := range names {
			value, err := tx.Meta(ctx, name)
			if err != nil {
				return err
			}
			found[name] = string(value)
		}
		return nil
	})
	return found, err
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

// embeddedAlike reports whether the vectors of an entry remain valid: whether analysis "1" gave
// the embedder the same text as this build. Version "1" used only the strings of a JSON value,
// without NFKC normalization, and embedded an entry without text as the empty text. Versions
// before "6" treated data URLs as text.
func embeddedAlike(e *Entry) bool {
	return IsText(e.Value) && norm.NFKC.IsNormal(e.Value) && HasMeaning(e) && !lexical.HasDataURL(e.Value)
}
