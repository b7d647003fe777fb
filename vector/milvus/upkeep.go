package milvus

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Build has Milvus close its growing segments and make their graphs, as it
// does on its own in time, and waits until it has: minutes for some hundred
// thousand vectors. For measurements that want the state in which a
// collection is most of its life.
func (x *Index) Build(ctx context.Context) error {
	if err := classify(ctx, "flush", x.client.Flush(ctx, x.name, false)); err != nil {
		return err
	}
	for {
		total, done, err := x.client.GetIndexBuildProgress(ctx, x.name, fieldVector)
		if err = classify(ctx, "build", err); err != nil && !errors.Is(err, ErrUnavailable) {
			return err
		}
		if err == nil && total > 0 && done >= total {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("milvus: build: %w", ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Drop removes the collection that Open opens with the same configuration,
// and all that it holds. One that is not there is no error.
func Drop(ctx context.Context, config Config) (err error) {
	if config, err = config.withDefaults(); err != nil {
		return err
	}
	conn, err := dial(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	there, err := conn.HasCollection(ctx, config.collection())
	if err != nil || !there {
		return classify(ctx, "look for the collection", err)
	}
	return classify(ctx, "drop", conn.DropCollection(ctx, config.collection()))
}
