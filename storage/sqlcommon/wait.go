package sqlcommon

import (
	"context"
	"time"

	"mneme/memory"
)

// ReportWait reports that a transaction is now waiting for another process, which does what
// does says.
func ReportWait(ctx context.Context, does string) {
	memory.ReportProgress(ctx, "another process "+does+", since "+time.Now().UTC().Format(time.TimeOnly)+" UTC or longer")
}
