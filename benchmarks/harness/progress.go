package harness

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
