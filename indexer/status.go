package indexer

import (
	"context"
)

// Status describes the health of the storage, the index and the queue.
type Status struct {
	Storage bool   // the storage responds
	Vector  bool   // a model serves, and its index is not known to be down
	Serving string // the active fingerprint, its index open or not; "" if no embedder here made the vectors
	// Multilingual is the fingerprint of the vectors for texts that the English model cannot
	// read. It is "" if no text has needed one yet, if none of this process's models made those
	// vectors, or if the serving model reads every language.
	Multilingual string
	Configured   string   // fingerprint of the configured embedder; if it differs, a reindex is needed
	Counted      bool     // Queue and Waits are known: counting a long queue may take longer than the caller waits
	Queue        int64    // entries whose vectors are out of date
	Waits        Waits    // how long they have waited
	Progress     Progress // of this process
}

// Status reads the queue and reports the current Status. It never fails: a storage that does
// not respond is part of the result.
func (ix *Indexer) Status(ctx context.Context) Status {
	status := Status{Configured: ix.models.configuredFingerprint(), Progress: ix.progress.now()}
	active, err := ix.activeFingerprint(ctx)
	if ix.models.find(active) >= 0 {
		status.Serving = active
	}
	if now := ix.models.serving(); now != nil {
		status.Vector, status.Serving = !ix.indexDown.Load(), now.fingerprint
	}
	if now := ix.serving()[multilingualModel]; now != nil {
		status.Multilingual = now.fingerprint
	}
	if status.Storage = err == nil; status.Storage {
		status.Queue, status.Waits, err = ix.depth(ctx)
		status.Counted = err == nil
	}
	return status
}

// activeFingerprint reads the active fingerprint of the main model from the storage.
// models.active would wait for a lock that is held while an index is being opened.
func (ix *Indexer) activeFingerprint(ctx context.Context) (string, error) {
	var active []byte
	err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
		active, err = tx.Meta(ctx, fingerprintMeta)
		return err
	})
	return string(active), err
}
