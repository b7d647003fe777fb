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

// The settings that name the versions of the analysis by which the database's texts were
// turned into terms and into forms. While they are analyzed again, analysisMeta has what
// analyzedUpTo returns.
const (
	analysisMeta = "analysis"
	formsMeta    = "forms"
)

// analysisBatch is how many entries analyzeAgain analyzes in one transaction.
const analysisBatch = 200

// beingAnalyzed begins what analysisMeta has while this build analyzes the texts again.
const beingAnalyzed = lexical.AnalysisVersion + " " + lexical.FormVersion + " "

// analyzedUpTo is what analysisMeta has once the entries up to an ID are analyzed again. It
// is the version of no build: any other one analyzes all of them.
func analyzedUpTo(last uuid.UUID) []byte { return []byte(beingAnalyzed + last.String()) }

// analyzeAgain writes the terms and forms of every entry if the database was written
// under other versions of them than this build's, and has the entries embedded again
// whose vectors are of another text. It goes on where it was interrupted: a supervisor may
// not wait for all of a large database. Other processes may write meanwhile, but those of
// another version write terms that are not analyzed again.
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
			log.InfoContext(ctx, "analyzing the texts of this database again, which an earlier version wrote")
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

// reportEntries reports how many entries a step is done with. Others may be added meanwhile.
func reportEntries(ctx context.Context, step string, done int, all int64) {
	ReportProgress(ctx, fmt.Sprintf("%s, %d of %d entries", step, done, max(all, int64(done))))
}

// IsCurrent reports whether the names, terms and forms of a database are this build's. New
// rewrites them if not.
func IsCurrent(ctx context.Context, storage Storage) (bool, error) {
	found, err := readMetas(ctx, storage, analysisMeta, formsMeta, namesMeta)
	return err == nil && found[analysisMeta] == lexical.AnalysisVersion && found[formsMeta] == lexical.FormVersion && found[namesMeta] == norm.Version, err
}

// readMetas returns settings of the whole database by their names; "" for those that were
// never set.
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

// embeddedAlike reports whether analysis "1" made vectors of the same text of an entry: of
// JSON it had the strings alone, letters were not those of NFKC, and an entry without
// text had the vector of an empty one. Until "6" data URLs were text.
func embeddedAlike(e *Entry) bool {
	return IsText(e.Value) && norm.NFKC.IsNormal(e.Value) && HasMeaning(e) && !lexical.HasDataURL(e.Value)
}
