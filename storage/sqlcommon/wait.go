package sqlcommon

import (
	"context"
	"time"

	"mneme/memory"
)

// ReportWait reports that a transaction now waits for another process. does says what that
// process does, for example "is writing to the database".
func ReportWait(ctx context.Context, does string) {
	memory.ReportProgress(ctx, "another process "+does+", since "+time.Now().UTC().Format(time.TimeOnly)+" UTC or longer")
}
