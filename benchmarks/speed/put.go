package speed

import (
	"context"
	"errors"
	"slices"
	"time"

	"mneme/benchmarks/harness"
	"mneme/benchmarks/measure"
)

// putOneAtATime writes as many new entries as there are questions, each as the agent who
// owns its store and in a transaction of its own, while the instance embeds them in the
// background.
func (r *caseRun) putOneAtATime(ctx context.Context) (measure.Latency, error) {
	background, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.instance.Run(background) }()
	samples, err := r.put(ctx)
	stop()
	if runErr := <-ended; runErr != nil && !errors.Is(runErr, context.Canceled) {
		err = errors.Join(err, runErr)
	}
	if err != nil {
		return measure.Latency{}, err
	}
	return measure.NewLatency(samples), r.instance.Drain(ctx, nil)
}

func (r *caseRun) put(ctx context.Context) ([]time.Duration, error) {
	bar := r.Progress.Start(int64(r.Questions), "writing one at a time")
	defer bar.Exit()
	var samples []time.Duration
	for i := range r.Questions {
		store := r.storeOf(r.target(i))
		request := r.text(store, r.shape.Entries+i)
		start := time.Now()
		if _, err := r.instance.Put(ctx, harness.Caller(store), request); err != nil {
			return nil, err
		}
		samples = append(samples, time.Since(start))
		_ = bar.Add(1)
	}
	return samples, nil
}

// starts is the number of starts of which startServers returns the median.
const starts = 5

// readyTimeout bounds a start.
const readyTimeout = 5 * time.Minute

// startServers starts the program on the data of the closed instance, and returns the median
// time until the server is ready, in milliseconds; 0 without a program. The data is in the
// memory of the operating system and of PostgreSQL, as after a restart of mneme alone.
func (r *caseRun) startServers(ctx context.Context) (float64, error) {
	if r.Program == "" {
		return 0, nil
	}
	var samples []time.Duration
	for range starts {
		took, err := r.startServer(ctx)
		if err != nil {
			return 0, err
		}
		samples = append(samples, took)
	}
	slices.Sort(samples)
	return float64(measure.Quantile(samples, .5).Microseconds()) / 1000, nil
}

// startServer starts a server and returns the time until it is ready.
func (r *caseRun) startServer(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	start := time.Now()
	server, err := harness.StartServer(ctx, r.Program, r.Flags, r.sandbox.Config)
	if err != nil {
		return 0, err
	}
	defer server.Stop()
	err = server.WaitReady(ctx)
	return time.Since(start), err
}
