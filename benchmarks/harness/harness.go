// Package harness holds the shared parts of the end-to-end benchmarks: sandboxes
// on the configured servers, writing entries, computing their vectors, and showing
// progress.
package harness

import (
	"context"
	"encoding/json"
	"fmt"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/memory"
)

// batchSize is the number of entries per write.
const batchSize = 500

// Caller returns an agent as the caller of an internal surface, which can access entries
// that are not in context.
func Caller(agent string) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: agent, Taint: acl.Public}, Internal: true}
}

// NewText returns a request that writes a text.
func NewText(store, key, text string) memory.PutRequest {
	value, _ := json.Marshal(text) // a string has no invalid value
	return memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: value}
}

// Write writes entries in batches, each entry as the agent who owns its store. It
// stops at the first batch with a refused entry.
func Write(ctx context.Context, service *memory.Service, entries []memory.PutRequest, bar Bar) error {
	for len(entries) > 0 {
		batch := entries[:min(batchSize, len(entries))]
		entries = entries[len(batch):]
		if err := writeBatch(ctx, service, batch); err != nil {
			return err
		}
		_ = bar.Add(len(batch)) // failing to draw the bar is no reason to stop
	}
	return nil
}

// writeBatch writes one batch, with a transaction for each store.
func writeBatch(ctx context.Context, service *memory.Service, batch []memory.PutRequest) error {
	var stores []string
	requests := make(map[string][]memory.PutRequest)
	for _, r := range batch {
		if requests[r.Path.Store] == nil {
			stores = append(stores, r.Path.Store)
		}
		requests[r.Path.Store] = append(requests[r.Path.Store], r)
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

// MakeVectors computes and indexes the vectors of all entries that lack them.
// The progress bar shows task.
func MakeVectors(ctx context.Context, instance *compose.Instance, progress Progress, task string) error {
	total := instance.Status(ctx).Queue
	bar := progress.Start(total, task)
	defer bar.Exit()
	return instance.Drain(ctx, func(left int64) { _ = bar.Set64(total - left) })
}
