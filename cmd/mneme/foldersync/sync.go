// Package foldersync keeps a folder of Markdown files and a store the same, both ways.
//
// A Syncer remembers, in a file of the folder, what both sides had when they were the
// same last. A pass compares each side with that: what only one side changed is copied
// to the other, and what both changed differently is a conflict. Then the entry of the
// store takes the file's place, and the file is kept beside it.
//
// Nothing is overwritten that was not seen: writes to the store have preconditions, and
// a file is replaced in one step if it is as it was read. Deleted entries are in the
// store's trash, deleted files in .mneme/trash of the folder. If a large share of one
// side is gone, nothing is deleted on the other: it is more likely that a disk or
// a database is missing.
package foldersync

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"mneme/memory"
)

// Store is the store as the acting agent sees it.
type Store interface {
	// Entries yields all entries that can be listed.
	Entries(ctx context.Context) iter.Seq2[*memory.Entry, error]
	// Read returns the entries at paths; nil where there is none that can be listed.
	Read(ctx context.Context, paths []memory.Path) ([]*Found, error)
	// Write does each write whose precondition holds, and returns the outcome of each.
	Write(ctx context.Context, writes []Write) ([]Outcome, error)
	// Rename gives an entry that has an entity tag another path, which must be free.
	Rename(ctx context.Context, from, to memory.Path, etag string) (Outcome, error)
	// Trashed returns where a deleted entry was last, and the IDs of the entries that were
	// deleted there later, the latest first; nil: it cannot be restored.
	Trashed(ctx context.Context, id string) (at *memory.Path, later []string, err error)
	// Restore brings back the entry that was deleted last at a path. It returns nil if it
	// cannot, such as where another one is.
	Restore(ctx context.Context, at memory.Path) (*Found, error)
	// Changes yields the paths that have changed since a cursor, as the Go client's
	// Changes does: the first page at once, then each that has some.
	Changes(ctx context.Context, since string) iter.Seq2[Page, error]
}

// Found is an entry and its entity tag.
type Found struct {
	Entry *memory.Entry
	ETag  string
}

// Write is a write of a whole entry, or its deletion.
type Write struct {
	Put    memory.PutRequest // its TTL is nil if the expiry stays
	ETag   string            // that the entry must have; "": there must be none
	Delete bool
}

// Outcome is what became of a Write.
type Outcome struct {
	ETag    string // of the entry that was written
	Changed bool   // the precondition did not hold: nothing was written
	Refused string // why the store refuses it; "" if it does not
}

// Page is a page of changes.
type Page struct {
	Paths []memory.Path
	Next  string
}

// ErrFeed says that the changes since a cursor are not known.
var ErrFeed = errors.New("the changes since this cursor are not known")

// Options say what is synchronised, and how.
type Options struct {
	Dir    string
	Origin Origin
	Force  bool           // delete however much is gone
	Zone   *time.Location // of times without one
	// Settle is how long a file must not have changed before it is read, or must have
	// been missing before its entry is deleted: programs write files in steps.
	Settle time.Duration
	Say    func(Event)
}

// Event is something that happened to a file.
type Event struct {
	Kind   Kind   `json:"kind"`
	File   string `json:"file,omitempty"` // with slashes, within the folder
	Line   int    `json:"line,omitempty"` // of a problem, from 1; 0: none
	From   string `json:"from,omitempty"` // the former file of one that was renamed
	Reason string `json:"reason,omitempty"`
}

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	Uploaded   Kind = "uploaded"   // the file was written to the store
	Downloaded Kind = "downloaded" // the entry was written to the file
	Renamed    Kind = "renamed"    // the file or the entry was renamed, and the other with it
	Trashed    Kind = "trashed"    // the file is gone: its entry is in the store's trash
	Removed    Kind = "removed"    // the entry is gone: its file is in .mneme/trash
	Conflict   Kind = "conflict"   // both changed: Reason names the file that has the folder's text
	Problem    Kind = "problem"    // it is not synchronised
	Notice     Kind = "notice"
)

// Report counts what a pass did.
type Report struct {
	Uploaded   int     `json:"uploaded"`
	Downloaded int     `json:"downloaded"`
	Renamed    int     `json:"renamed"`
	Trashed    int     `json:"trashed"`
	Removed    int     `json:"removed"`
	Unchanged  int     `json:"unchanged"`
	Conflicts  []Event `json:"conflicts"`
	Problems   []Event `json:"problems"`
	// Waiting is how many other versions of files there are, also of earlier passes.
	Waiting int `json:"waiting"`
}

// Done returns how many files and entries a pass wrote or deleted.
func (r Report) Done() int {
	return r.Uploaded + r.Downloaded + r.Renamed + r.Trashed + r.Removed + len(r.Conflicts)
}

// add adds what a later pass did.
func (r *Report) add(later Report) {
	r.Uploaded += later.Uploaded
	r.Downloaded += later.Downloaded
	r.Renamed += later.Renamed
	r.Trashed += later.Trashed
	r.Removed += later.Removed
	r.Conflicts = append(r.Conflicts, later.Conflicts...)
	r.Unchanged, r.Problems, r.Waiting = later.Unchanged, later.Problems, later.Waiting
}

// Errors that end a synchronisation. Nothing was deleted.
var (
	ErrOrigin = errors.New("the folder is synchronised with another store, or as another agent or taint")
	ErrState  = errors.New(stateFile + " is damaged: without it, the folder and the store are joined, and nothing is deleted")
	ErrGone   = errors.New("the folder was moved, removed or unmounted, or is synchronised by another program")
)

// Syncer synchronises one folder with one store. It is for one goroutine.
type Syncer struct {
	options Options
	store   Store
	folder  *folder
	state   *state
	now     func() time.Time

	remote   map[memory.Path]remote // the store's entries; nil: not read yet
	cursor   string                 // of the feed, as far as remote has it
	missing  map[string]time.Time   // files of the state, since when they are missing
	appeared map[string]time.Time   // files that are not in the state, since when they are there
	shorter  map[string]shorter     // files that have the beginning of their texts
	deleted  []time.Time            // when files and entries were deleted lately
	said     map[Event]bool         // problems that were said
	pending  bool                   // something waits until it settles
	again    bool                   // a rename waits for what the pass did
}

// Open opens a folder, and makes one that does not exist.
func Open(store Store, options Options) (_ *Syncer, err error) {
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(options.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", options.Dir, err), root.Close())
		}
	}()
	s := &Syncer{
		options: options, store: store, folder: &folder{root: root, dir: options.Dir}, now: time.Now,
		missing: make(map[string]time.Time), appeared: make(map[string]time.Time), said: make(map[Event]bool),
	}
	s.folder.now = func() time.Time { return s.now() }
	s.state, err = s.folder.loadState(options.Origin)
	switch {
	case err != nil:
		return nil, err
	case s.state.Origin.Server != options.Origin.Server:
		s.say(Event{Kind: Notice, Reason: "another server than the last time: the folder and its store are joined, and nothing is deleted"})
		s.state.reset(options.Origin)
	}
	return s, s.folder.saveState(s.state)
}

// Close releases the folder.
func (s *Syncer) Close() error { return s.folder.root.Close() }

func (s *Syncer) say(e Event) {
	if s.options.Say != nil {
		s.options.Say(e)
	}
}

// Once makes both sides the same.
func (s *Syncer) Once(ctx context.Context) (Report, error) {
	if err := s.refresh(ctx); err != nil {
		return Report{}, err
	}
	report, err := s.pass(ctx)
	for left := repeats; left > 0 && s.again && err == nil; left-- {
		var later Report
		later, err = s.pass(ctx)
		report.add(later)
	}
	return report, err
}

// repeats bounds how often Once compares again: renames may wait for one another.
const repeats = 3

// refresh brings remote up to date.
func (s *Syncer) refresh(ctx context.Context) error {
	err := s.catchUp(ctx)
	if errors.Is(err, ErrFeed) {
		s.remote = nil
		err = s.catchUp(ctx)
	}
	return err
}

// catchUp reads the store, the first time, and then what changed.
func (s *Syncer) catchUp(ctx context.Context) error {
	if s.remote == nil {
		first, err := s.page(ctx, "")
		if err != nil {
			return err
		}
		all := make(map[memory.Path]remote)
		for e, err := range s.store.Entries(ctx) {
			if err != nil {
				return err
			}
			all[e.Path] = remoteOf(e)
		}
		s.remote, s.cursor = all, first.Next
	}
	for {
		page, err := s.page(ctx, s.cursor)
		if err != nil {
			return err
		}
		if _, err := s.read(ctx, page.Paths); err != nil { // it notes what they have now
			return err
		}
		if s.cursor = page.Next; len(page.Paths) == 0 {
			return nil
		}
	}
}

// page returns the page of changes at a cursor, without waiting.
func (s *Syncer) page(ctx context.Context, since string) (Page, error) {
	for page, err := range s.store.Changes(ctx, since) {
		return page, err
	}
	return Page{}, ctx.Err()
}

// readAtOnce bounds the entries of one call, so that their values fit into an answer
// unless they are large.
const readAtOnce = 50

// read returns entries by path, and notes them in remote.
func (s *Syncer) read(ctx context.Context, paths []memory.Path) (map[memory.Path]*Found, error) {
	all := make(map[memory.Path]*Found, len(paths))
	for len(paths) > 0 {
		some := paths[:min(readAtOnce, len(paths))]
		paths = paths[len(some):]
		found, err := s.store.Read(ctx, some)
		if err != nil {
			return nil, err
		}
		for n, path := range some {
			if found[n] == nil {
				delete(s.remote, path)
				continue
			}
			all[path] = found[n]
			s.remote[path] = remoteOf(found[n].Entry)
		}
	}
	return all, nil
}
