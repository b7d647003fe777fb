package indexer

import "time"

// Waits are percentiles of how long queue rows have waited: half of the rows waited at most
// P50, and so on. Max is the wait of the oldest row.
type Waits struct {
	P50, P90, P99, Max time.Duration
}

// Read sets the percentiles for a queue with at least one row. wait returns the wait of the row
// at an offset, oldest first.
func (w *Waits) Read(rows int64, wait func(offset int64) (time.Duration, error)) error {
	for _, p := range [...]struct {
		percent int64
		into    *time.Duration
	}{{50, &w.P50}, {90, &w.P90}, {99, &w.P99}, {100, &w.Max}} {
		took, err := wait(rows - (rows*p.percent+99)/100)
		if err != nil {
			return err
		}
		*p.into = max(0, took)
	}
	return nil
}
