package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A run runs the steps of a plan, several concurrently.
type run struct {
	root    string
	plan    plan
	cache   *cache
	environ []string
	work    string // a folder that is removed afterwards
	out     io.Writer
	all     bool // run checks even if they have stamps
	workers int  // how many checks run at a time

	mu       sync.Mutex // guards out and the fields below
	results  []result
	services []*process
	failed   error
}

// A result is the outcome of a step.
type result struct {
	name   string
	took   time.Duration
	before bool // it had passed with the same inputs
}

// steps runs the checks and the steps that they need. After a failure no
// further step begins, and the running ones continue to their end.
func (r *run) steps(ctx context.Context, checks plan) error {
	defer r.endServices()
	digests := newDigester(r.root, r.plan, r.environ)
	// Set-ups checked in each run come first: they install the tools that digests name.
	if err := r.always(ctx, checks); err != nil {
		return err
	}
	due, last, err := r.due(checks, digests)
	if err != nil {
		return err
	}
	group := r.start(ctx, r.plan.withNeeds(slices.Concat(due, last)), digests)
	for _, s := range due {
		group.check(s)
	}
	group.wait()
	for _, s := range last {
		if r.failed == nil {
			group.check(s)
			group.wait()
		}
	}
	return r.failed
}

// always runs the set-ups that must run each time, because they leave no output by which
// they could be skipped.
func (r *run) always(ctx context.Context, checks plan) error {
	for _, s := range r.plan.withNeeds(checks) {
		if s.made != "-" {
			continue
		}
		if err := r.run(ctx, s); err != nil {
			r.fail(s, err)
			return err
		}
	}
	return nil
}

// due returns the checks that have not passed with their current inputs, and those
// that run last.
func (r *run) due(checks plan, digests *digester) (due, last plan, err error) {
	for _, s := range checks {
		if s.last {
			last = append(last, s)
			continue
		}
		digest, err := digests.step(s)
		if err != nil {
			return nil, nil, err
		}
		if !r.all && r.cache.passed(s, digest) {
			r.done(result{name: s.name, before: true})
			continue
		}
		due = append(due, s)
	}
	return due, last, nil
}

// A group holds the active steps of a run.
type group struct {
	*run
	ctx     context.Context
	digests map[string]string        // by step
	ended   map[string]chan struct{} // by set-up and service; closed when it is ready or has failed
	slots   *slots
	running sync.WaitGroup
}

// start begins the set-ups and services among the steps first: they wait for
// disks and networks more than for processors.
func (r *run) start(ctx context.Context, steps plan, digests *digester) *group {
	g := &group{run: r, ctx: ctx, digests: make(map[string]string), ended: make(map[string]chan struct{}), slots: newSlots(r.workers)}
	for _, s := range steps {
		digest, err := digests.step(s)
		if err != nil {
			r.fail(s, err)
			return g
		}
		g.digests[s.name] = digest
		if !s.isCheck() {
			g.ended[s.name] = make(chan struct{})
		}
	}
	for _, s := range steps {
		if s.isCheck() {
			continue
		}
		g.running.Go(func() {
			defer close(g.ended[s.name])
			if g.ready(s) {
				g.report(s, g.prepare(s))
			}
		})
	}
	return g
}

// check runs a check when its needs are ready and it is the first in the plan for
// which a slot is free.
func (g *group) check(s *step) {
	g.running.Go(func() {
		if !g.ready(s) {
			return
		}
		g.slots.acquire(slices.Index(g.plan, s))
		defer g.slots.release()
		if g.stopped() {
			return
		}
		g.report(s, g.stamped(s))
	})
}

func (g *group) wait() { g.running.Wait() }

// ready waits for a step's needs, and reports whether it may begin.
func (g *group) ready(s *step) bool {
	for _, need := range s.needs {
		<-g.ended[need]
	}
	return !g.stopped()
}

func (g *group) report(s *step, err error) {
	if err != nil {
		g.fail(s, err)
	}
}

// prepare runs a set-up, or starts a service.
func (g *group) prepare(s *step) error {
	if s.isService() {
		return g.serve(g.ctx, s)
	}
	if s.made == "-" {
		return nil // done already
	}
	if g.cache.passed(s, g.digests[s.name]) {
		return nil
	}
	return g.stamped(s)
}

// stamped runs a step, and writes a stamp only if it passes.
func (g *group) stamped(s *step) error {
	digest := g.digests[s.name]
	if err := g.cache.forget(s, digest); err != nil {
		return err
	}
	if err := g.run.run(g.ctx, s); err != nil {
		return err
	}
	if s.last {
		return nil
	}
	return g.cache.pass(s, digest)
}

// run runs one step in its own folder.
func (r *run) run(ctx context.Context, s *step) error {
	work := filepath.Join(r.work, s.name)
	if err := os.Mkdir(work, 0o755); err != nil { //nolint:gosec // the database's user reads it
		return err
	}
	defer os.RemoveAll(work)
	if !s.long {
		limited, cancel := context.WithTimeoutCause(ctx, stepLimit, fmt.Errorf("not done after %v", stepLimit))
		defer cancel()
		ctx = limited
	}
	from := time.Now()
	if err := runFunction(ctx, r.root, s.run, slices.Concat(r.environ, []string{"work=" + work}), r.log(s)); err != nil {
		return err
	}
	r.done(result{name: s.name, took: time.Since(from)})
	return nil
}

func (r *run) log(s *step) string { return filepath.Join(r.cache.logs(), s.name+".log") }

// serve starts a service, which runs until the end of the run.
func (r *run) serve(ctx context.Context, s *step) error {
	work := filepath.Join(r.work, s.name)
	if err := os.Mkdir(work, 0o755); err != nil { //nolint:gosec // the database's user reads it
		return err
	}
	from := time.Now()
	p, err := serve(ctx, r.root, s, slices.Concat(r.environ, []string{"work=" + work}), r.log(s))
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.services = append(r.services, p)
	r.mu.Unlock()
	r.done(result{name: s.name, took: time.Since(from)})
	return nil
}

func (r *run) endServices() {
	var ending sync.WaitGroup
	for _, p := range r.services {
		ending.Go(func() { p.end(syscall.SIGINT) })
	}
	ending.Wait()
}

func (r *run) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed != nil
}

// done prints the output of a passed step.
func (r *run) done(res result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, res)
	if res.before {
		fmt.Fprintf(r.out, "── %s: as before\n", res.name)
		return
	}
	fmt.Fprintf(r.out, "── %s: %s\n", res.name, seconds(res.took))
	text, err := os.ReadFile(r.log(&step{name: res.name}))
	if s := r.plan.find(res.name); err == nil && s != nil && s.isCheck() {
		fmt.Fprint(r.out, lastLines(string(text), saidLines))
	}
}

// fail records that a step failed, and prints the end of its output and the command
// that runs it alone.
func (r *run) fail(s *step, err error) {
	text, _ := os.ReadFile(r.log(s)) // there is none if it did not begin
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "── %s: FAILED: %v\n%s", s.name, err, lastLines(string(text), failedLines))
	fmt.Fprintf(r.out, "── all of it: %s\n── this step alone: .ci/run %s\n", r.log(s), s.name)
	r.failed = errors.Join(r.failed, fmt.Errorf("%s: %w", s.name, err))
}
