package memory

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"mneme/lexical"
)

// analysisMeta is the setting that names the version of the analysis by which
// the database's texts were turned into terms.
const analysisMeta = "analysis"

// checkAnalysis warns if the database was written under another version of the
// analysis than this build's: its words may then not be found. Loading a dump
// analyses its texts again.
func checkAnalysis(ctx context.Context, storage Storage, log *slog.Logger) error {
	var stored []byte
	err := storage.Update(ctx, func(tx Tx) (err error) {
		if stored, err = tx.Meta(ctx, analysisMeta); err != nil || stored != nil {
			return err
		}
		stored = []byte(lexical.AnalysisVersion)
		return tx.SetMeta(ctx, analysisMeta, stored)
	})
	if err == nil && string(stored) != lexical.AnalysisVersion {
		log.WarnContext(ctx, "the database was written under another text analysis than this build's, so that searches may miss words: export it with --full and load the dump into an empty database",
			"stored", string(stored), "build", lexical.AnalysisVersion)
	}
	return err
}

// formsMeta is the setting that names the version of the forms in the database.
const formsMeta = "forms"

// formsBatch is how many entries fillForms analyzes in one transaction.
const formsBatch = 200

// fillForms writes the forms of every entry if the database was written before
// there were any, or under another version of them. An interrupted filling begins
// again. Other processes may write meanwhile, with forms.
func fillForms(ctx context.Context, storage Storage, log *slog.Logger) error {
	var stored []byte
	err := storage.View(ctx, func(tx ReadTx) (err error) {
		stored, err = tx.Meta(ctx, formsMeta)
		return err
	})
	if err != nil || string(stored) == lexical.FormVersion {
		return err
	}
	filled := 0
	var after uuid.UUID
	for batch := -1; batch != 0; {
		err := storage.Update(ctx, func(tx Tx) error {
			entries, err := tx.SearchableAfter(ctx, after, formsBatch)
			if err != nil {
				return err
			}
			for i := range entries {
				if err := tx.PutForms(ctx, entries[i], document(&entries[i]).Forms); err != nil {
					return err
				}
			}
			if batch = len(entries); batch == 0 {
				return tx.SetMeta(ctx, formsMeta, []byte(lexical.FormVersion))
			}
			after = entries[batch-1].ID
			return nil
		})
		if err != nil {
			return err
		}
		if filled == 0 && batch > 0 {
			log.InfoContext(ctx, "filling the index of exact words, which this database does not have yet")
		}
		filled += batch
	}
	if filled > 0 {
		log.InfoContext(ctx, "filled the index of exact words", "entries", filled)
	}
	return nil
}
