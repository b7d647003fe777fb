// Package foldersync synchronizes a folder of Markdown files with a store, in both
// directions.
//
// A Syncer stores the last common state of both sides in a file of the folder. A pass
// compares each side with it: a change on only one side is copied to the other, and
// different changes on both sides are a conflict. In a conflict, the entry of the store
// replaces the file, and the file's text is kept in a conflict file.
//
// A Syncer overwrites nothing that it has not seen: writes to the store have
// preconditions, and a file is replaced atomically if it is unchanged. Deleted entries are
// in the store's trash, deleted files in .mneme/trash of the folder. If a large share of
// one side is missing, nothing is deleted on the other: more likely a disk or a database
// is missing.
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
	// Read returns the entries at paths; nil for a path without an entry that can be
	// listed.
	Read(ctx context.Context, paths []memory.Path) ([]*Found, error)
	// Write does each write whose precondition holds, and returns the outcome of each.
	Write(ctx context.Context, writes []Write) ([]Outcome, error)
	// Rename gives an entry with an entity tag another path, which must be free.
	Rename(ctx context.Context, from, to memory.Path, etag string) (Outcome, error)
	// Trashed returns the last path of a deleted entry, and the IDs of the entries that
	// were deleted at the same path after it, the latest first. The path is nil if the
	// entry cannot be restored.
	Trashed(ctx context.Context, id string) (at *memory.Path, later []string, err error)
	// Restore restores the entry that was deleted last at a path. It returns nil if it
	// cannot, for example if another entry has the path.
	Restore(ctx context.Context, at memory.Path) (*Found, error)
	// Changes yields pages of the paths that have changed since a cursor: the first page at
	// once, even if it is empty, and then a page whenever paths have changed.
	Changes(ctx context.Context, since string) iter.Seq2[Page, error]
}

// Found is an entry and its entity tag.
type Found struct {
	Entry *memory.Entry
	ETag  string
}

// Write is a write of a whole entry, or its deletion.
type Write struct {
	Put    memory.PutRequest // its TTL is nil if the expiry is unchanged
	ETag   string            // the entry's required tag; "": the entry must not exist
	Delete bool
}

// Outcome is the result of a Write.
type Outcome struct {
	ETag    string // of the entry that was written
	Changed bool   // the precondition did not hold: nothing was written
	Refused string // why the store refused the write; "" if it did not
}

// Page is a page of changes.
type Page struct {
	Paths []memory.Path
	Next  string
}

// ErrFeed reports that the changes since a cursor are unknown.
var ErrFeed = errors.New("the changes since this cursor are not known")

// Options configure a Syncer.
type Options struct {
	Dir    string
	Origin Origin
	Force  bool           // delete even if a large share of one side is missing
	Zone   *time.Location // for times without a zone
	// Settle is how long a file must be unchanged before it is read, or missing before its
	// entry is deleted: programs write files in steps.
	Settle time.Duration
	Say    func(Event)
}

// Event is something that happened to a file.
type Event struct {
	Kind   Kind   `json:"kind"`
	File   string `json:"file,omitempty"` // with slashes, within the folder
	Line   int    `json:"line,omitempty"` // of a problem, from 1; 0: none
	From   string `json:"from,omitempty"` // former name of a renamed file
	Reason string `json:"reason,omitempty"`
}

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	Uploaded   Kind = "uploaded"   // the file was written to the store
	Downloaded Kind = "downloaded" // the entry was written to the file
	Renamed    Kind = "renamed"    // the file or the entry was renamed, and the other followed
	Trashed    Kind = "trashed"    // the file was deleted: its entry is in the store's trash
	Removed    Kind = "removed"    // the entry was deleted: its file is in .mneme/trash
	Conflict   Kind = "conflict"   // both changed: Reason names the file with the folder's text
	Problem    Kind = "problem"    // the file is not synchronized
	Notice     Kind = "notice"
)

// Report counts the changes of a pass.
type Report struct {
	Uploaded   int     `json:"uploaded"`
	Downloaded int     `json:"downloaded"`
	Renamed    int     `json:"renamed"`
	Trashed    int     `json:"trashed"`
	Removed    int     `json:"removed"`
	Unchanged  int     `json:"unchanged"`
	Conflicts  []Event `json:"conflicts"`
	Problems   []Event `json:"problems"`
	// Waiting is the number of conflict files, including those of earlier passes.
	Waiting int `json:"waiting"`
}

// Done returns the number of files and entries that a pass wrote or deleted.
func (r Report) Done() int {
	return r.Uploaded + r.Downloaded + r.Renamed + r.Trashed + r.Removed + len(r.Conflicts)
}

// add adds the changes of a later pass. What is left after that pass (unchanged files,
// problems, conflict files) replaces the earlier counts.
func (r *Report) add(later Report) {
	r.Uploaded += later.Uploaded
	r.Downloaded += later.Downloaded
	r.Renamed += later.Renamed
	r.Trashed += later.Trashed
	r.Removed += later.Removed
	r.Conflicts = append(r.Conflicts, later.Conflicts...)
	r.Unchanged, r.Problems, r.Waiting = later.Unchanged, later.Problems, later.Waiting
}

// Errors that end the synchronization. Nothing was deleted.
var (
	ErrOrigin = errors.New("the folder is synchronised with another store, or as another agent or taint")
	ErrState  = errors.New(stateFile + " is damaged: without it, the folder and the store are joined, and nothing is deleted")
	ErrGone   = errors.New("the folder was moved, removed or unmounted, or is synchronised by another program")
)

// Syncer synchronizes one folder with one store. It is not safe for concurrent use.
type Syncer struct {
	options Options
	store   Store
	folder  *folder
	state   *state
	now     func() time.Time

	remote   map[memory.Path]remote // the store's entries; nil: not read yet
	cursor   string                 // of the feed, up to which remote is current
	missing  map[string]time.Time   // missing files of the state, and since when
	appeared map[string]time.Time   // new files that are not in the state, and since when
	shorter  map[string]shorter     // files that contain only the beginning of their former texts
	deleted  []time.Time            // times of recent deletions of files and entries
	said     map[Event]bool         // reported problems
	pending  bool                   // whether something is still changing: the next pass is soon
	again    bool                   // whether a rename needs a further pass, see repeats
}

// Open opens a folder, and creates it if it does not exist.
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

// Once synchronizes both sides.
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

// repeats is the maximum number of further passes in Once: a rename may have to wait until
// an earlier pass has freed its path.
const repeats = 3

// refresh makes remote current: it reads the changes since the cursor or, if these are
// unknown, the whole store.
func (s *Syncer) refresh(ctx context.Context) error {
	err := s.catchUp(ctx)
	if errors.Is(err, ErrFeed) {
		s.remote = nil
		err = s.catchUp(ctx)
	}
	return err
}

// catchUp reads the whole store the first time, and later only the changes.
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
		if _, err := s.read(ctx, page.Paths); err != nil { // it records their current state
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

// readAtOnce is the maximum number of entries in one call of Store.Read: few enough that
// their values usually fit into one response.
const readAtOnce = 50

// read returns entries by path, and records them in remote.
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
