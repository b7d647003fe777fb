package harness

import "sync"

// Bar shows the progress of one task. *progressbar.ProgressBar implements it.
type Bar interface {
	Add(steps int) error
	Set64(steps int64) error
	Exit() error
}

// Progress returns a bar for a task of total steps. A nil Progress shows none.
type Progress func(total int64, task string) Bar

// Start returns a bar for a task of total steps.
func (p Progress) Start(total int64, task string) Bar {
	if p == nil {
		return noBar{}
	}
	return p(total, task)
}

type noBar struct{}

func (noBar) Add(int) error     { return nil }
func (noBar) Set64(int64) error { return nil }
func (noBar) Exit() error       { return nil }

// Locked returns a bar that is safe for concurrent use.
func Locked(bar Bar) Bar { return &lockedBar{bar: bar} }

type lockedBar struct {
	mu  sync.Mutex
	bar Bar
}

func (b *lockedBar) Add(steps int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bar.Add(steps)
}

func (b *lockedBar) Set64(steps int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bar.Set64(steps)
}

func (b *lockedBar) Exit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bar.Exit()
}
