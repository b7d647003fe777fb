package compose

import (
	"context"

	"mneme/indexer"
)

// Refused returns entries that their embedder refused to embed, the longest waiting first.
func (i *Instance) Refused(ctx context.Context, limit int) ([]indexer.Refused, error) {
	storage, ok := i.Storage.(interface {
		Refused(ctx context.Context, limit int) ([]indexer.Refused, error)
	})
	if !ok {
		return nil, nil
	}
	return storage.Refused(ctx, limit)
}
