package toolproxy

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/server/mcp"
	"mneme/server/problem"
	"mneme/server/tool"
)

// LateWait is how long a call waits for the tools to open before it fails. Clients allow a
// call one minute, and show no progress meanwhile.
const LateWait = 5 * time.Second

// Late are the tools of a database in this process, which clients can list while it opens.
// Opening may take minutes, for a migration or while another process holds its lock. Until
// then, a call returns a tool error that names what it waits for; a call after a failure
// opens the database again. Late implements mcp.Tools.
type Late struct {
	known *tool.Tools // with the definitions of the tools being opened
	log   *slog.Logger
	open  func(context.Context) (mcp.Tools, error)
	wait  time.Duration // maximum wait of a call
	ctx   context.Context
	stop  context.CancelFunc

	mu   sync.Mutex
	last *attempt // nil: none was started
}

// attempt is one attempt to open the tools.
type attempt struct {
	began time.Time
	done  chan struct{} // closed when tools and err are set
	tools mcp.Tools
	err   error

	mu   sync.Mutex
	step string // the current step; "": unknown
}

// NewLate returns tools that call open until it succeeds. known has their definitions. A
// call waits at most wait for them.
func NewLate(known *tool.Tools, wait time.Duration, log *slog.Logger, open func(context.Context) (mcp.Tools, error)) *Late {
	t := &Late{known: known, log: log, open: open, wait: wait}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Start begins to open the tools.
func (t *Late) Start() { t.start() }

// start returns the running or successful attempt, or begins a new one.
func (t *Late) start() *attempt {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && (!t.last.failed() || t.ctx.Err() != nil) {
		return t.last
	}
	a := &attempt{began: time.Now(), done: make(chan struct{})}
	t.last = a
	go func() {
		defer close(a.done)
		if a.tools, a.err = t.open(memory.WithProgress(t.ctx, a.setStep)); a.err != nil && t.ctx.Err() == nil {
			t.log.Error("the database could not be opened", "error", a.err)
		}
	}()
	return a
}

// Close cancels a running attempt, and waits for its end.
func (t *Late) Close() {
	t.stop()
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	if last != nil {
		<-last.done
	}
}

// failed reports whether an attempt has ended without tools.
func (a *attempt) failed() bool {
	select {
	case <-a.done:
		return a.err != nil
	default:
		return false
	}
}

func (a *attempt) setStep(step string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = step
}

// state describes the current step of a running attempt.
func (a *attempt) state() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	step := a.step
	if step != "" {
		step = ": " + step
	}
	return fmt.Sprintf("the database is being opened, since %s UTC%s; try again soon", a.began.UTC().Format(time.TimeOnly), step)
}

// opened returns the tools, after a limited wait, or else why they are not open yet.
func (t *Late) opened(ctx context.Context) (_ mcp.Tools, why string, err error) {
	a := t.start()
	timer := time.NewTimer(t.wait)
	defer timer.Stop()
	select {
	case <-a.done:
	case <-timer.C:
		return nil, a.state(), nil
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	if a.err != nil {
		return nil, "the database could not be opened, which the next call tries again: " + a.err.Error(), nil
	}
	return a.tools, "", nil
}

// Definitions returns the definitions of the tools being opened.
func (t *Late) Definitions(p acl.Principal) []tool.Definition { return t.known.Definitions(p) }

// MaxInput returns the limit on a call's input, in bytes.
func (t *Late) MaxInput() int64 { return t.known.MaxInput() }

// Pay calls a tool. If the tools are not open, the result says so, for the model to read.
func (t *Late) Pay(ctx context.Context, p acl.Principal, name string, input json.RawMessage, paid *meter.Payment) (tool.Result, error) {
	tools, why, err := t.opened(ctx)
	switch {
	case err != nil:
		return tool.Result{}, err
	case why != "":
		return tool.Result{Text: "Error: " + why, IsError: true}, nil
	}
	return tools.Pay(ctx, p, name, input, paid)
}

// Index returns a store's MEMORY.md.
func (t *Late) Index(ctx context.Context, p acl.Principal, store string) (string, error) {
	tools, why, err := t.opened(ctx)
	switch {
	case err != nil:
		return "", err
	case why != "":
		return "", problem.New(problem.Unavailable, why)
	}
	return tools.Index(ctx, p, store)
}
