package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"mneme/internal/system"
)

const (
	// usesFile is the file in the data directory that holds the last uses of API keys
	// and issued tokens.
	usesFile = "uses.json"
	// usesEvery is the shortest time between two writes of it by one process.
	usesEvery = time.Minute
	// keptUses is how long a last use is stored.
	keptUses = 400 * 24 * time.Hour
)

// Uses are the times when API keys and issued tokens were last used, with a resolution of a
// minute. It is safe for concurrent use.
type Uses struct {
	path  string
	fresh chan struct{} // has an element while noted has uses to write

	mu      sync.Mutex
	noted   map[string]time.Time // by IDs
	writing map[string]time.Time // the uses that are being written
}

// useList is the content of the file.
type useList struct {
	Uses map[string]time.Time `json:"uses"`
}

// OpenUses opens the last uses of a data directory. The file need not exist.
func OpenUses(dir string) *Uses {
	return &Uses{path: filepath.Join(dir, usesFile), fresh: make(chan struct{}, 1), noted: make(map[string]time.Time)}
}

// List returns the last uses by ID, including uses that are not written yet.
func (u *Uses) List() (map[string]time.Time, error) {
	u.mu.Lock() // before reading the file: uses that leave writing in the meantime are in both
	writing, noted := maps.Clone(u.writing), maps.Clone(u.noted)
	u.mu.Unlock()
	list, err := u.read()
	if err != nil {
		return nil, err
	}
	if list.Uses == nil {
		list.Uses = make(map[string]time.Time)
	}
	list.add(writing)
	list.add(noted)
	return list.Uses, nil
}

// add merges uses into the list where they are later, and returns the latest.
func (l *useList) add(noted map[string]time.Time) (newest time.Time) {
	for id, at := range noted {
		if at = at.UTC().Truncate(time.Second); at.After(l.Uses[id]) {
			l.Uses[id] = at
		}
		if at.After(newest) {
			newest = at
		}
	}
	return newest
}

func (u *Uses) read() (list useList, err error) {
	text, err := readSecret(u.path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err == nil && json.Unmarshal(text, &list) != nil {
		err = fmt.Errorf("%s: not a list of last uses", u.path)
	}
	return list, err
}

// note records a use, which run writes.
func (u *Uses) note(id string, now time.Time) {
	u.mu.Lock()
	u.noted[id] = now
	u.mu.Unlock()
	select {
	case u.fresh <- struct{}{}:
	default:
	}
}

// run writes the recorded uses, at most once a minute, until ctx is done. A folder that
// cannot be written is logged once: it is no reason to refuse a token.
func (u *Uses) run(ctx context.Context, log *slog.Logger) {
	pause := time.NewTicker(usesEvery)
	defer pause.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			_ = u.write() // both may be ready
			return
		case <-u.fresh:
		}
		if err := u.write(); err != nil && !failed {
			failed = true
			log.WarnContext(ctx, "the last uses of tokens cannot be written", "error", err)
		}
		select {
		case <-ctx.Done():
			_ = u.write()
			return
		case <-pause.C:
		}
	}
}

// write merges the recorded uses into the file.
func (u *Uses) write() error {
	u.mu.Lock()
	noted := u.noted
	u.noted, u.writing = make(map[string]time.Time), noted
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		u.writing = nil
		u.mu.Unlock()
	}()
	if len(noted) == 0 {
		return nil
	}
	return locked(u.path+".lock", func() error {
		list, err := u.read()
		if err != nil {
			return err
		}
		if list.Uses == nil {
			list.Uses = make(map[string]time.Time)
		}
		newest := list.add(noted)
		maps.DeleteFunc(list.Uses, func(_ string, at time.Time) bool { return newest.Sub(at) > keptUses })
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		return system.WritePrivate(u.path, append(text, '\n'), true)
	})
}
