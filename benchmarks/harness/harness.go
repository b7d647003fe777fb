// Package harness holds what the end-to-end benchmarks share: writing entries,
// making their vectors, and showing progress.
package harness

import (
	"context"
	"encoding/json"
	"fmt"

	"mneme/acl"
	"mneme/backend"
	"mneme/memory"
)

// batchSize is the number of entries per write.
const batchSize = 500

// Caller returns an agent as the caller of an internal surface.
func Caller(agent string) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: agent, Taint: acl.Public}, Internal: true}
}

// Text is an entry with a text as its value.
type Text struct {
	Store, Key, Text string
}

// Write writes entries in batches, each entry as the agent who owns its store. It
// stops at the first batch with a refused entry.
func Write(ctx context.Context, service *memory.Service, texts []Text, bar Bar) error {
	for len(texts) > 0 {
		batch := texts[:min(batchSize, len(texts))]
		texts = texts[len(batch):]
		if err := writeBatch(ctx, service, batch); err != nil {
			return err
		}
		_ = bar.Add(len(batch)) // failing to draw the bar is no reason to stop
	}
	return nil
}

// writeBatch writes one batch, with a transaction for each store.
func writeBatch(ctx context.Context, service *memory.Service, batch []Text) error {
	var stores []string
	requests := make(map[string][]memory.PutRequest)
	for _, t := range batch {
		value, err := json.Marshal(t.Text)
		if err != nil {
			return err
		}
		if requests[t.Store] == nil {
			stores = append(stores, t.Store)
		}
		requests[t.Store] = append(requests[t.Store], memory.PutRequest{
			Path: memory.Path{Store: t.Store, Key: t.Key}, Value: value,
		})
	}
	for _, store := range stores {
		caller := Caller(store)
		if err := service.RegisterCaller(ctx, caller.Principal); err != nil {
			return fmt.Errorf("store %s: %w", store, err)
		}
		results, err := service.PutAll(ctx, caller, requests[store])
		if err != nil {
			return err
		}
		for i, result := range results {
			if result.Err != nil {
				return fmt.Errorf("entry %s of store %s was refused: %w", requests[store][i].Path.Key, store, result.Err)
			}
		}
	}
	return nil
}

// MakeVectors makes and indexes the vectors of all entries that lack them.
func MakeVectors(ctx context.Context, instance *backend.Instance, progress Progress) error {
	total := instance.Status(ctx).Queue
	bar := progress.Start(total, "making vectors")
	defer bar.Exit()
	return instance.Drain(ctx, func(left int64) { _ = bar.Set64(total - left) })
}
