// Package load measures a server under concurrent callers. It starts a server
// process and asks a dataset's questions over REST. Each caller sends its next
// question after the answer to its last one.
package load

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"mneme/acl"
	"mneme/benchmarks/harness"
	"mneme/benchmarks/relevance"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
)

// Benchmark measures a server under each number of callers.
type Benchmark struct {
	Program  string   // the mneme executable that serves
	Flags    []string // further flags of its serve command
	Dataset  *relevance.Dataset
	Callers  []int  // numbers of callers, each a case
	Searches int    // of all callers of a case, at most
	Each     int    // searches of each caller, in place of Searches; 0: Searches applies
	Cache    string // folder of the entries' vector cache; "": no cache

	Progress harness.Progress
	Log      *slog.Logger
}

// Run writes the dataset into a sandbox on the configured backend, starts a server
// on it, and measures the cases sequentially.
func (b *Benchmark) Run(ctx context.Context, config configs.Config) (report Report, err error) {
	report = Report{
		CPUs: runtime.NumCPU(), Backend: config.Storage + "+" + config.Vector,
		Dataset: b.Dataset.Name, Entries: len(b.Dataset.Documents), Questions: len(b.Dataset.Queries),
	}
	if len(b.Dataset.Queries) == 0 {
		return report, fmt.Errorf("%s: no questions", b.Dataset.Name)
	}
	embedders, err := compose.OpenEmbedders(config)
	if err != nil {
		return report, err
	}
	report.Model = embedders.Main.Fingerprint()
	if b.Cache != "" {
		caches, err := harness.OpenCaches(b.Cache, embedders)
		if err != nil {
			return report, err
		}
		embedders = caches.Embedders
		defer func() { err = errors.Join(err, caches.Close()) }()
	}
	sandbox, err := harness.NewSandbox(ctx, config, embedders)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, sandbox.Remove(ctx)) }()
	models, err := sandbox.Models(b.Log)
	if err != nil {
		return report, err
	}
	instance, err := sandbox.Open(ctx, models, b.Log)
	if err != nil {
		return report, err
	}
	if err := errors.Join(b.write(ctx, instance), instance.Close()); err != nil {
		return report, err
	}
	if err := sandbox.Vacuum(ctx); err != nil {
		return report, err
	}
	server, err := harness.StartServer(ctx, b.Program, b.Flags, sandbox.Config)
	if err != nil {
		return report, err
	}
	defer server.Stop()
	questions, err := b.questions()
	if err != nil {
		return report, err
	}
	for _, callers := range b.Callers {
		c, err := b.measure(ctx, server, questions, callers)
		if err != nil {
			return report, fmt.Errorf("%d callers: %w", callers, err)
		}
		report.Cases = append(report.Cases, c)
	}
	return report, nil
}

// write writes the dataset, and grants its stores to the callers of all cases.
func (b *Benchmark) write(ctx context.Context, instance *compose.Instance) error {
	entries := b.Dataset.Entries()
	bar := b.Progress.Start(int64(len(entries)), "writing")
	defer bar.Exit()
	if err := harness.Write(ctx, instance.Service, entries, bar); err != nil {
		return err
	}
	if err := harness.MakeVectors(ctx, instance, b.Progress, "making vectors"); err != nil {
		return err
	}
	var stores []string
	for _, e := range entries {
		stores = append(stores, e.Path.Store)
	}
	slices.Sort(stores)
	stores = slices.Compact(stores)
	return instance.Storage.Update(ctx, func(tx memory.Tx) error {
		for _, callers := range b.Callers {
			for n := range callers {
				for _, store := range stores {
					err := tx.PutGrant(ctx, acl.Grant{
						Store: store, Grantee: callerName(callers, n), Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public,
						ByPlatform: true, CreatedAt: time.Now(),
					})
					if err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// callerName returns the agent of a caller. Each case uses different agents,
// because a server remembers each agent's questions.
func callerName(callers, n int) string { return fmt.Sprintf("caller-%d-of-%d", n+1, callers) }
