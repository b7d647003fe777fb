package mnemetest

import (
	"bytes"
	"strings"
	"sync"
)

// Log collects the log of a process. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the whole log.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Last returns the last n lines.
func (l *Log) Last(n int) string {
	lines := strings.SplitAfter(l.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
