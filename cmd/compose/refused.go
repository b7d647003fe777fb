package compose

import (
	"context"

	"mneme/indexer"
)

// Refused returns entries that their embedder does not take, those first that wait longest.
func (i *Instance) Refused(ctx context.Context, limit int) ([]indexer.Refused, error) {
	storage, ok := i.Storage.(interface {
		Refused(ctx context.Context, limit int) ([]indexer.Refused, error)
	})
	if !ok {
		return nil, nil
	}
	return storage.Refused(ctx, limit)
}
