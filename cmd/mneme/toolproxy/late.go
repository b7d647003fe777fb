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

// LateWait is how long a call waits for the tools to open before it fails. Clients give
// calls a minute, and tell people nothing meanwhile.
const LateWait = 5 * time.Second

// Late are the tools of a database of this process, which clients can list while it opens.
// That may take minutes: it is migrated, or another process has its lock. A call until then
// is a tool's error that says what is waited for, and one after a failure opens it again. It
// implements mcp.Tools.
type Late struct {
	known *tool.Tools // with the definitions of what opens
	log   *slog.Logger
	open  func(context.Context) (mcp.Tools, error)
	wait  time.Duration // of a call
	ctx   context.Context
	stop  context.CancelFunc

	mu   sync.Mutex
	last *attempt // nil: none was started
}

// attempt is one opening of tools.
type attempt struct {
	began time.Time
	done  chan struct{} // closed when tools and err are set
	tools mcp.Tools
	err   error

	mu   sync.Mutex
	step string // what it does or waits for; "": unknown
}

// NewLate returns the tools that open opens, once it succeeds. known has their definitions.
// A call waits for them as long as wait.
func NewLate(known *tool.Tools, wait time.Duration, log *slog.Logger, open func(context.Context) (mcp.Tools, error)) *Late {
	t := &Late{known: known, log: log, open: open, wait: wait}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Start begins to open the tools.
func (t *Late) Start() { t.start() }

// start returns the attempt that runs or succeeded, and begins one if there is none.
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

// Close ends an attempt that is not over, and waits for its end.
func (t *Late) Close() {
	t.stop()
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	if last != nil {
		<-last.done
	}
}

// failed reports whether an attempt is over without tools.
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

// state says what an attempt does that is not over.
func (a *attempt) state() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	step := a.step
	if step != "" {
		step = ": " + step
	}
	return fmt.Sprintf("the database is being opened, since %s UTC%s; try again soon", a.began.UTC().Format(time.TimeOnly), step)
}

// opened returns the tools, for which it waits a while, or else why there are none yet.
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

// Definitions returns the definitions of what opens.
func (t *Late) Definitions(p acl.Principal) []tool.Definition { return t.known.Definitions(p) }

// MaxInput returns the limit on a call's input, in bytes.
func (t *Late) MaxInput() int64 { return t.known.MaxInput() }

// Pay calls a tool. That the tools are not open is a result, for the model to read.
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
