package foldersync

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The intervals at which a Syncer compares both sides: soon after an event, and
// periodically in any case, since not every file system reports changes.
const (
	soon       = 300 * time.Millisecond // after the last event
	atLatest   = 2 * time.Second        // maximum delay after the first event
	whilePends = time.Second            // while something waits until it settles
	nowAndThen = 30 * time.Second
	unwatched  = 5 * time.Second // if the folder cannot be watched
	firstRetry = time.Second     // after an error of the store; doubled up to lastRetry
	lastRetry  = 30 * time.Second
)

// Watch synchronizes until ctx ends. It reports an error of the store and retries, unless
// the first pass fails; an error of the folder ends it. It calls after after each pass
// without an error.
func (s *Syncer) Watch(ctx context.Context, after func(Report) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	files := s.watchFolder(ctx)
	entries := s.watchStore(ctx)
	retry := firstRetry
	failing := false
	for first := true; ; first = false {
		report, err := s.Once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case isFatal(err), err != nil && first:
			return err
		case err != nil && !failing:
			s.say(Event{Kind: Notice, Reason: err.Error() + "; trying again"})
		case err == nil && failing:
			s.say(Event{Kind: Notice, Reason: "working again"})
		}
		wait := nowAndThen
		if failing = err != nil; failing {
			wait, retry = retry, min(2*retry, lastRetry)
		} else {
			retry = firstRetry
			if err := after(report); err != nil {
				return err
			}
			switch {
			case s.pending:
				wait = whilePends
			case files == nil:
				wait = unwatched
			}
		}
		if !pause(ctx, wait, failing, files, entries) {
			return nil
		}
	}
}

// isFatal reports whether an error is from the folder rather than from the store.
func isFatal(err error) bool {
	var pathErr *fs.PathError
	return errors.Is(err, ErrGone) || errors.As(err, &pathErr)
}

// pause waits for the time wait. Unless failing, an event ends it earlier: as soon as no
// further event arrives for the time soon, and at the latest atLatest after the first
// event. It reports false if ctx has ended.
func pause(ctx context.Context, wait time.Duration, failing bool, files, entries <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	if failing {
		files, entries = nil, nil
	}
	var latest time.Time // zero: no event yet
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-files:
		case <-entries:
		}
		if latest.IsZero() {
			latest = time.Now().Add(atLatest)
		}
		timer.Reset(min(soon, time.Until(latest)))
	}
}

// watchStore returns a channel that receives when the store may have changed.
func (s *Syncer) watchStore(ctx context.Context) <-chan struct{} {
	woken := make(chan struct{}, 1)
	go func() {
		for ctx.Err() == nil {
			for page, err := range s.store.Changes(ctx, "") {
				if err != nil {
					break
				}
				if len(page.Paths) > 0 {
					wake(woken)
				}
			}
			select { // the passes report the error
			case <-ctx.Done():
			case <-time.After(unwatched):
			}
			wake(woken)
		}
	}()
	return woken
}

func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// watchFolder returns a channel that receives when the folder may have changed; nil if it
// cannot be watched.
func (s *Syncer) watchFolder(ctx context.Context) <-chan struct{} {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		s.say(Event{Kind: Notice, Reason: "the folder cannot be watched, and is read every few seconds"})
		return nil
	}
	if err := watchBelow(watcher, s.options.Dir); err != nil {
		s.say(Event{Kind: Notice, Reason: "not all of the folder can be watched: changes are seen later"})
	}
	woken := make(chan struct{}, 1)
	go func() {
		defer watcher.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case event, ok := <-watcher.Events:
				if !ok {
					return
				}
				if isHidden(event.Name) {
					continue
				}
				if event.Has(fsnotify.Create) { // maybe a folder, possibly with files already
					_ = watchBelow(watcher, event.Name) // the periodic passes cover what is not watched
				}
				wake(woken)
			case _, ok := <-watcher.Errors: // such as too many events
				if !ok {
					return
				}
				wake(woken)
			}
		}
	}()
	return woken
}

func isHidden(name string) bool { return filepath.Base(name)[0] == '.' && filepath.Base(name) != "." }

// watchBelow watches a folder and the folders below it that are not hidden.
func watchBelow(watcher *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir:
			return err
		case err != nil || !entry.IsDir():
			return nil
		case name != dir && isHidden(name):
			return fs.SkipDir
		}
		return watcher.Add(name)
	})
}
