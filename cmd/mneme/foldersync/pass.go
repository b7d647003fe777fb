package foldersync

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"mneme/markdown"
	"mneme/memory"
)

// pass compares both sides with their last common state once.
type pass struct {
	*Syncer
	listing listing
	files   map[memory.Path]string // the file of each path, on disk or in the state
	report  Report
	entries map[string]memory.Path // paths of the state's entries in the store, by ID
	paired  map[string]bool        // renamed files whose entries could not be renamed
	// departing reports whether files have just disappeared, and arriving whether new files
	// are still changing: a renamed file may be both.
	departing, arriving bool
	left                map[string]memory.Path // files excluded from the pass, and their paths
	fold                map[string]bool        // names of all files, folded as file systems compare them
	folders             map[string]string      // actual spelling, by folded name
	respelled           bool                   // whether keys of entries differ in case from their files
	exchanged           bool                   // whether entries had temporary keys: they have new tags
	// changing holds the names that belong to new files which cannot be read yet: their
	// own, and those of the entries that they may become. See isChanging.
	changing markdown.Files

	uploads   []memory.Path
	revived   map[memory.Path]bool // the uploads whose entries were restored from the trash
	downloads []memory.Path
	conflicts []memory.Path
	trashed   []memory.Path // paths whose files were deleted
	removed   []string      // files whose entries were deleted in the store
}

// pass compares both sides and makes them equal.
func (s *Syncer) pass(ctx context.Context) (report Report, err error) {
	if err := s.folder.check(s.state.ID); err != nil {
		return Report{}, err
	}
	p := pass{Syncer: s, files: make(map[memory.Path]string), paired: make(map[string]bool), left: make(map[string]memory.Path), report: Report{Conflicts: []Event{}, Problems: []Event{}}}
	if p.listing, err = s.folder.list(s.state.Files, s.options.Zone, s.options.Settle); err != nil {
		return Report{}, err
	}
	s.pending, s.again = p.listing.unsettled, false
	p.noteArrivals()
	p.sayOnce()
	defer func() {
		// A missing folder gets no state, so that it is not recreated.
		if gone := s.folder.check(s.state.ID); gone == nil {
			err = errors.Join(err, s.folder.saveState(s.state))
		}
		report = p.report
		report.Waiting = len(p.listing.copies) + len(p.report.Conflicts)
	}()
	for _, step := range []func(context.Context) error{p.endExchange, p.holdPartial, p.follow, p.compareAll, p.upload, p.download, p.resolve, p.trash, p.remove} {
		if err := step(ctx); err != nil {
			return p.report, err
		}
	}
	p.respellFolders()
	return p.report, nil
}

// compareAll decides what to do for each path.
func (p *pass) compareAll(context.Context) error {
	p.name()
	p.decide()
	return nil
}

// done records a change of a file.
func (p *pass) done(e Event) {
	switch e.Kind {
	case Uploaded:
		p.report.Uploaded++
	case Downloaded:
		p.report.Downloaded++
	case Renamed:
		p.report.Renamed++
	case Trashed:
		p.report.Trashed++
	case Removed:
		p.report.Removed++
	case Conflict:
		p.report.Conflicts = append(p.report.Conflicts, e)
	case Problem, Notice: // see problem
	}
	p.say(e)
}

// problem reports, once, why a file is not synchronized.
func (p *pass) problem(file string, line int, reason string) {
	e := Event{Kind: Problem, File: file, Line: line, Reason: reason}
	p.report.Problems = append(p.report.Problems, e)
	if !p.said[e] {
		p.said[e] = true
		p.say(e)
	}
}

// name finds the path of each file: from the state, or from the file itself. If a new file
// has the path of a missing one, it replaces it in the state.
func (p *pass) name() {
	for _, file := range slices.Sorted(maps.Keys(p.state.Files)) {
		path := p.state.Files[file].path(p.options.Origin.Store)
		other, taken := p.files[path]
		if taken && p.state.Files[file].ID != p.remote[path].id {
			file, other = other, file
		}
		p.files[path] = file
		if taken {
			p.supersede(other)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.listing.files)) {
		one := p.listing.files[name]
		if base, ok := p.state.Files[name]; ok {
			one.note.Namespace, one.note.Name = base.Namespace, base.Key
			continue
		}
		if len(one.problems) > 0 {
			continue
		}
		path := memory.Path{Store: p.options.Origin.Store, Namespace: one.note.Namespace, Key: one.note.Name}
		before, taken := p.files[path]
		switch {
		case !taken:
			p.files[path] = name
		case p.listing.files[before] == nil && !p.listing.isUnknown(before):
			p.state.Files[name] = p.state.Files[before]
			delete(p.state.Files, before)
			p.files[path] = name
		default:
			one.problems = []markdown.Problem{{Line: 1, Reason: "another file has the same key: " + before}}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.listing.files)) {
		for _, problem := range p.listing.files[name].problems {
			p.problem(name, problem.Line, problem.Reason)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.listing.unknown)) {
		if reason := p.listing.unknown[name]; reason != "" {
			p.problem(name, 0, reason)
		}
	}
}

// supersede decides about a file of the state whose path another entry now has: its own
// entry was deleted in the store, and the other one renamed.
func (p *pass) supersede(name string) {
	here := p.listing.files[name]
	base := p.state.Files[name]
	switch {
	case p.listing.isUnknown(name):
	case here == nil:
		p.remember(name, nil)
		p.forget(name)
	case here.sum == base.File || base.says(here.note):
		p.removed = append(p.removed, name)
	default: // changed here: the text is retained, in a file whose key another entry has
		p.forget(name)
	}
}

// decide compares each path on both sides with its last common state.
func (p *pass) decide() {
	followed := make(map[string]bool, len(p.state.Files))
	for _, base := range p.state.Files {
		followed[base.ID] = true
	}
	for path, there := range p.remote {
		// An entry of the last common state has a file, even if that could not be renamed
		// yet.
		if _, ok := p.files[path]; !ok && !followed[there.id] {
			p.downloads = append(p.downloads, path)
		}
	}
	var missed []string // files below a link, which cannot be changed like their entries
	for path, name := range p.files {
		here := p.listing.files[name]
		base, known := p.state.Files[name]
		there, isThere := p.remote[path]
		switch {
		case p.listing.isUnknown(name):
			if !there.is(base) && p.listing.isLinked(name) {
				missed = append(missed, name)
			}
		case here != nil && len(here.problems) > 0:
		case here == nil && !isThere:
			p.remember(name, nil)
			p.forget(name)
		case here == nil && !p.isGone(name):
			p.pending = true
		case here == nil && !there.is(base):
			p.downloads = append(p.downloads, path)
		case here == nil:
			p.trashed = append(p.trashed, path)
		default:
			delete(p.missing, name)
			changed := !known || here.sum != base.File && !base.says(here.note)
			p.compare(path, changed, known, isThere, there)
		}
	}
	slices.Sort(missed)
	slices.Sort(p.removed)
	for _, name := range missed {
		p.problem(name, 0, linked)
	}
	for _, paths := range [][]memory.Path{p.uploads, p.downloads, p.conflicts, p.trashed} {
		slices.SortFunc(paths, func(a, b memory.Path) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Key, b.Key))
		})
	}
}

// compare decides what to do for a path whose file exists.
func (p *pass) compare(path memory.Path, changed, known, isThere bool, there remote) {
	name := p.files[path]
	here, base := p.listing.files[name], p.state.Files[name]
	switch {
	case isThere && digest(here.note) == there.digest:
		p.agree(name, there)
		p.report.Unchanged++
	case !isThere && known && !changed:
		p.removed = append(p.removed, name)
	case !isThere && !known && p.isHeld(name):
		p.pending = true
	case !isThere: // new, or changed here and deleted in the store: the text is retained
		p.uploads = append(p.uploads, path)
	case !known:
		p.conflicts = append(p.conflicts, path)
	case changed && !there.is(base):
		p.conflicts = append(p.conflicts, path)
	case changed:
		p.uploads = append(p.uploads, path)
	case !there.is(base):
		p.downloads = append(p.downloads, path)
	default:
		p.report.Unchanged++
		// Only the formatting of the file may have changed.
		p.state.Files[name] = newBase(here.note, there.id, here.sum, base.Note, base.Entry)
	}
}

// agree records that a file and its entry are equal.
func (p *pass) agree(name string, there remote) {
	here := p.listing.files[name]
	p.state.Files[name] = newBase(here.note, there.id, here.sum, digest(here.note), there.digest)
}

func newBase(n markdown.Note, id, file, note, entry string) base {
	return base{Namespace: n.Namespace, Key: n.Name, ID: id, File: file, Note: note, Entry: entry}
}

func (p *pass) forget(name string) {
	delete(p.state.Files, name)
	delete(p.missing, name)
}
