package milvus

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Build makes Milvus seal the segments that still grow and build their graphs, and waits for
// that: it takes minutes for some hundred thousand vectors. Milvus does the same in the
// background over time. Benchmarks call Build to measure the state that it then reaches.
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

// Drop removes the collection that Open would open with the same
// configuration. It is no error if the collection does not exist.
func Drop(ctx context.Context, config Config) (err error) {
	if config, err = config.withDefaults(); err != nil {
		return err
	}
	conn, err := dial(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	exists, err := conn.HasCollection(ctx, config.collection())
	if err != nil || !exists {
		return classify(ctx, "find the collection", err)
	}
	return classify(ctx, "drop", conn.DropCollection(ctx, config.collection()))
}
