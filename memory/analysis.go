package memory

import (
	"context"
	"log/slog"

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
