package memory

import (
	"context"
	"log/slog"

	"mneme/lexical"
)

// analysisMeta names the rules by which the entries' texts became terms.
const analysisMeta = "analysis"

// checkAnalysis warns if the database was filled under other rules of
// analysis than this build's: words would not always be found. A dump that is
// loaded anew is analysed anew.
func checkAnalysis(ctx context.Context, storage Storage, log *slog.Logger) error {
	var stands []byte
	err := storage.Update(ctx, func(tx Tx) (err error) {
		if stands, err = tx.Meta(ctx, analysisMeta); err != nil || stands != nil {
			return err
		}
		stands = []byte(lexical.AnalysisVersion)
		return tx.SetMeta(ctx, analysisMeta, stands)
	})
	if err == nil && string(stands) != lexical.AnalysisVersion {
		log.WarnContext(ctx, "this database's words were analysed by other rules than this build's: dump it with export --full and load the dump into an empty one",
			"stands", string(stands), "build", lexical.AnalysisVersion)
	}
	return err
}
