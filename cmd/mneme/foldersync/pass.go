package foldersync

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"time"

	"mneme/markdown"
	"mneme/memory"
)

// pass is one comparison of both sides with what they had.
type pass struct {
	*Syncer
	listing listing
	files   map[memory.Path]string // the file of each path, on disk or in the state
	report  Report
	fresh   map[string]bool // the checksums of files that are not in the state
	fold    map[string]bool // the names of all files, as file systems compare them

	uploads   []memory.Path
	downloads []memory.Path
	conflicts []memory.Path
	trashed   []memory.Path // deleted here
	removed   []memory.Path // deleted there
}

// pass compares both sides and makes them the same.
func (s *Syncer) pass(ctx context.Context) (report Report, err error) {
	if err := s.folder.check(s.state.ID); err != nil {
		return Report{}, err
	}
	p := pass{Syncer: s, files: make(map[memory.Path]string), fresh: make(map[string]bool), report: Report{Conflicts: []Event{}, Problems: []Event{}}}
	if p.listing, err = s.folder.list(s.state.Files, s.options.Zone, s.options.Settle); err != nil {
		return Report{}, err
	}
	s.pending = p.listing.unsettled
	p.name()
	p.decide()
	defer func() {
		// A folder that is gone gets no state, so that it is not made anew.
		if gone := s.folder.check(s.state.ID); gone == nil {
			err = errors.Join(err, s.folder.saveState(s.state))
		}
		report = p.report
		report.Waiting = p.listing.conflicts + len(p.report.Conflicts)
	}()
	for _, step := range []func(context.Context) error{p.upload, p.download, p.resolve, p.trash, p.remove} {
		if err := step(ctx); err != nil {
			return p.report, err
		}
	}
	return p.report, nil
}

// done records what was done to a file.
func (p *pass) done(e Event) {
	switch e.Kind {
	case Uploaded:
		p.report.Uploaded++
	case Downloaded:
		p.report.Downloaded++
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

// problem reports what is not synchronised. It is said once.
func (p *pass) problem(file string, line int, reason string) {
	e := Event{Kind: Problem, File: file, Line: line, Reason: reason}
	p.report.Problems = append(p.report.Problems, e)
	if !p.said[e] {
		p.said[e] = true
		p.say(e)
	}
}

// name finds the path of each file: that of the state, or what the file says. A file
// that was renamed so that its path is the same takes the place of the former one.
func (p *pass) name() {
	for file, base := range p.state.Files {
		p.files[base.path(p.options.Origin.Store)] = file
	}
	for _, name := range slices.Sorted(maps.Keys(p.listing.files)) {
		one := p.listing.files[name]
		if base, ok := p.state.Files[name]; ok {
			one.note.Namespace, one.note.Name = base.Namespace, base.Key
			continue
		}
		p.fresh[one.sum] = true
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

// decide compares each path on both sides with what they had.
func (p *pass) decide() {
	for path := range p.remote {
		if _, ok := p.files[path]; !ok {
			p.downloads = append(p.downloads, path)
		}
	}
	for path, name := range p.files {
		if p.listing.isUnknown(name) {
			continue
		}
		here := p.listing.files[name]
		base, known := p.state.Files[name]
		there, isThere := p.remote[path]
		switch {
		case here != nil && len(here.problems) > 0:
		case here == nil && !isThere:
			p.forget(name)
		case here == nil && !p.isMissing(name):
			p.pending = true
		case here == nil && there != base.Entry:
			p.downloads = append(p.downloads, path)
		case here == nil:
			p.trashed = append(p.trashed, path)
		default:
			delete(p.missing, name)
			changed := !known || here.sum != base.File && digest(here.note) != base.Note
			p.compare(path, changed, known, isThere, there)
		}
	}
	for _, paths := range [][]memory.Path{p.uploads, p.downloads, p.conflicts, p.trashed, p.removed} {
		slices.SortFunc(paths, func(a, b memory.Path) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Key, b.Key))
		})
	}
}

// compare decides about a path whose file is there.
func (p *pass) compare(path memory.Path, changed, known, isThere bool, there string) {
	name := p.files[path]
	here, base := p.listing.files[name], p.state.Files[name]
	switch {
	case isThere && digest(here.note) == there:
		p.agree(name, there)
		p.report.Unchanged++
	case !isThere && known && !changed:
		p.removed = append(p.removed, path)
	case !isThere: // new, or changed here and deleted there: the text is kept
		p.uploads = append(p.uploads, path)
	case !known:
		p.conflicts = append(p.conflicts, path)
	case changed && there != base.Entry:
		p.conflicts = append(p.conflicts, path)
	case changed:
		p.uploads = append(p.uploads, path)
	case there != base.Entry:
		p.downloads = append(p.downloads, path)
	default:
		p.report.Unchanged++
		if here.sum != base.File { // formatted otherwise
			base.File = here.sum
			p.state.Files[name] = base
		}
	}
}

// agree records that a file and its entry are the same.
func (p *pass) agree(name, entry string) {
	here := p.listing.files[name]
	p.state.Files[name] = base{
		Namespace: here.note.Namespace, Key: here.note.Name, File: here.sum, Note: digest(here.note), Entry: entry,
	}
}

func (p *pass) forget(name string) {
	delete(p.state.Files, name)
	delete(p.missing, name)
}

// Bounds of one call of Write.
const (
	writeAtOnce    = 100
	maxWrittenSize = 4 << 20 // bytes of values
)

// upload writes changed files to the store.
func (p *pass) upload(ctx context.Context) error {
	var writes []Write
	var names []string
	size := 0
	flush := func() error {
		err := p.send(ctx, names, writes)
		writes, names, size = nil, nil, 0
		return err
	}
	found, err := p.read(ctx, p.known(p.uploads))
	if err != nil {
		return err
	}
	for _, path := range p.uploads {
		name := p.files[path]
		here, base := p.listing.files[name], p.state.Files[name]
		put, reason := p.putOf(path, here.note, found[path])
		if reason != "" {
			p.problem(name, here.note.Lines["expires_at"], reason)
			continue
		}
		write := Write{Put: put}
		if now := found[path]; now != nil {
			if digestOf(now.Entry) != base.Entry {
				p.pending = true
				continue
			}
			write.ETag = now.ETag
		}
		writes, names, size = append(writes, write), append(names, name), size+len(put.Value)
		if len(writes) == writeAtOnce || size > maxWrittenSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// known returns the paths that the store has.
func (p *pass) known(paths []memory.Path) []memory.Path {
	return slices.DeleteFunc(slices.Clone(paths), func(path memory.Path) bool { _, ok := p.remote[path]; return !ok })
}

// putOf returns the write of a file. The expiry of an entry that has the same one
// stays. If the file is not for the store, the reason says why.
func (p *pass) putOf(path memory.Path, n markdown.Note, now *Found) (put memory.PutRequest, reason string) {
	tags := append([]string{}, n.Tags...)
	occurred := n.OccurredAt.String()
	put = memory.PutRequest{
		Path: path, Value: n.Value, Type: &n.Type, Description: &n.Description, Tags: &tags,
		InContext: &n.InContext, Encrypted: &n.Encrypted, OccurredAt: &occurred,
	}
	ttl := n.ExpiresAt.Sub(p.now()).Round(time.Second)
	switch {
	case !n.InContext:
		return put, "in_context: false is not synchronised"
	case n.ExpiresAt.IsZero():
		put.TTL = new(time.Duration)
	case now != nil && now.Entry.ExpiresAt.Equal(n.ExpiresAt):
	case ttl <= 0:
		return put, "expires_at: is in the past"
	default:
		put.TTL = &ttl
	}
	return put, ""
}

// send writes files to the store, and records what it has then.
func (p *pass) send(ctx context.Context, names []string, writes []Write) error {
	if len(writes) == 0 {
		return nil
	}
	outcomes, err := p.store.Write(ctx, writes)
	if err != nil {
		return err
	}
	var written []memory.Path
	for n, o := range outcomes {
		if o.Refused == "" && !o.Changed {
			written = append(written, writes[n].Put.Path)
		}
	}
	found, err := p.read(ctx, written)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		name, path := names[n], writes[n].Put.Path
		here := p.listing.files[name]
		switch {
		case o.Refused != "":
			p.problem(name, 0, o.Refused)
		case o.Changed:
			p.pending = true
			if _, listed := p.remote[path]; !listed {
				p.hidden(ctx, name, path)
			}
		default:
			entry := digest(here.note)
			if now := found[path]; now != nil && now.ETag == o.ETag {
				entry = digestOf(now.Entry)
			} else { // it was changed again: the next pass sees that
				p.pending = true
			}
			p.agree(name, entry)
			p.done(Event{Kind: Uploaded, File: name})
		}
	}
	return nil
}

// hidden reports a file whose key has an entry that is not listed.
func (p *pass) hidden(ctx context.Context, name string, path memory.Path) {
	if found, err := p.read(ctx, []memory.Path{path}); err == nil && found[path] == nil {
		p.problem(name, 0, "the store has an entry of this key that is not listed")
	}
}

// download writes changed entries to their files.
func (p *pass) download(ctx context.Context) error {
	for paths := p.downloads; len(paths) > 0; {
		some := paths[:min(readAtOnce, len(paths))]
		paths = paths[len(some):]
		found, err := p.read(ctx, some)
		if err != nil {
			return err
		}
		for _, path := range some {
			if err := ctx.Err(); err != nil {
				return err
			}
			if found[path] == nil {
				p.pending = true
				continue
			}
			if err := p.fetch(path, found[path].Entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetch writes an entry to its file.
func (p *pass) fetch(path memory.Path, e *memory.Entry) error {
	name, ok := p.files[path]
	if !ok {
		var err error
		if name, err = markdown.FreeFile(path.Namespace, path.Key, p.taken); err != nil {
			return err
		}
	}
	if p.listing.isUnknown(name) {
		p.pending = p.pending || p.listing.unsettled
		return nil
	}
	old, err := p.folder.read(name)
	if err != nil {
		return p.failed(name, err)
	}
	here := p.listing.files[name]
	switch {
	case here != nil && (old == nil || sumOf(old) != here.sum), here == nil && old != nil && ok:
		p.pending = true // it has changed since it was listed
		return nil
	case old != nil && here == nil: // of a pass that was interrupted, or of another program
		return p.keepBoth(path, name, e, old)
	}
	return p.put(name, e, old)
}

// taken reports whether a file of the folder has a name, as file systems compare them.
func (p *pass) taken(folded string) bool {
	if p.fold == nil {
		p.fold = make(map[string]bool)
		for _, names := range [][]string{slices.Collect(maps.Keys(p.listing.files)), slices.Collect(maps.Keys(p.state.Files)), slices.Collect(maps.Keys(p.listing.unknown))} {
			for _, name := range names {
				p.fold[markdown.Fold(name)] = true
			}
		}
	}
	return p.fold[folded]
}

// put writes an entry to a file that has the contents old; nil: there is none.
func (p *pass) put(name string, e *memory.Entry, old []byte) error {
	kept, err := p.write(name, e, old)
	switch {
	case err != nil:
		return p.failed(name, err)
	case kept != "":
		p.done(Event{Kind: Conflict, File: name, Reason: kept})
	default:
		p.done(Event{Kind: Downloaded, File: name})
	}
	return nil
}

// write is put without its report. kept is the conflict file of what another program
// wrote meanwhile.
func (p *pass) write(name string, e *memory.Entry, old []byte) (kept string, err error) {
	note := markdown.NoteOf(e)
	text, err := markdown.RenderPlain(name, note, old)
	if err != nil {
		return "", err
	}
	switch {
	case old == nil:
		err = p.folder.create(name, text)
	case bytes.Equal(old, text):
	default:
		kept, err = p.folder.replace(name, text, sumOf(old))
	}
	if err != nil {
		return "", err
	}
	p.files[e.Path] = name
	if p.fold != nil {
		p.fold[markdown.Fold(name)] = true
	}
	p.state.Files[name] = base{Namespace: e.Namespace, Key: e.Key, File: sumOf(text), Note: digest(note), Entry: digest(note)}
	delete(p.missing, name)
	return kept, nil
}

// failed reports an error of one file. It returns errors that concern others too.
func (p *pass) failed(name string, err error) error {
	switch {
	case errors.Is(err, errChanged):
		p.pending = true
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EIO):
		return fmt.Errorf("%s: %w", name, err)
	}
	reason := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = "cannot be written: " + pathErr.Err.Error()
	}
	p.problem(name, 0, reason)
	return nil
}

// resolve keeps both versions of what changed on both sides.
func (p *pass) resolve(ctx context.Context) error {
	found, err := p.read(ctx, p.conflicts)
	if err != nil {
		return err
	}
	for _, path := range p.conflicts {
		name := p.files[path]
		old, err := p.folder.read(name)
		switch {
		case err != nil:
			if err := p.failed(name, err); err != nil {
				return err
			}
			continue
		case found[path] == nil, old == nil, sumOf(old) != p.listing.files[name].sum:
			p.pending = true
			continue
		}
		if err := p.keepBoth(path, name, found[path].Entry, old); err != nil {
			return err
		}
	}
	return nil
}

// keepBoth writes an entry to its file, and keeps the file beside it if it says
// something else.
func (p *pass) keepBoth(path memory.Path, name string, e *memory.Entry, old []byte) error {
	note, problems := markdown.ParsePlain(name, old, p.options.Zone)
	note.Namespace, note.Name = path.Namespace, path.Key
	_, known := p.state.Files[name]
	if len(problems) == 0 && !known && saysNothingElse(note, markdown.NoteOf(e)) {
		return p.put(name, e, old)
	}
	kept, err := p.folder.setAside(name)
	if err != nil {
		return p.failed(name, err)
	}
	p.done(Event{Kind: Conflict, File: name, Reason: kept})
	if _, err := p.write(name, e, nil); err != nil { // the next pass writes it
		return p.failed(name, err)
	}
	return nil
}

// saysNothingElse reports whether a file that was not synchronised yet has the text of
// an entry, and no field that contradicts it.
func saysNothingElse(n, entry markdown.Note) bool {
	given := func(field string) bool { return n.Lines[field] > 0 }
	for _, tag := range n.Tags {
		if !slices.Contains(entry.Tags, tag) {
			return false
		}
	}
	full := entry
	if given("type") {
		full.Type = n.Type
	}
	if given("description") {
		full.Description = n.Description
	}
	if given("expires_at") {
		full.ExpiresAt = n.ExpiresAt
	}
	if given("occurred_at") {
		full.OccurredAt = n.OccurredAt
	}
	full.Value, full.Encrypted, full.InContext = n.Value, n.Encrypted, n.InContext
	return digest(full) == digest(entry)
}

// trash deletes the entries of files that are gone.
func (p *pass) trash(ctx context.Context) error {
	count := 0
	for _, path := range p.trashed {
		if !p.isMoved(p.files[path]) {
			count++
		}
	}
	if p.tooMany(count) {
		p.problem("", 0, fmt.Sprintf("%d of %d files are gone: their entries are kept; if that is meant, use --force", count, len(p.state.Files)))
		return nil
	}
	found, err := p.read(ctx, p.trashed)
	if err != nil {
		return err
	}
	for paths := p.trashed; len(paths) > 0; {
		some := paths[:min(writeAtOnce, len(paths))]
		paths = paths[len(some):]
		if err := p.deleteEntries(ctx, some, found); err != nil {
			return err
		}
	}
	return nil
}

// deleteEntries deletes entries whose files are gone.
func (p *pass) deleteEntries(ctx context.Context, paths []memory.Path, found map[memory.Path]*Found) error {
	var writes []Write
	for _, path := range paths {
		now := found[path]
		if now == nil || digestOf(now.Entry) != p.state.Files[p.files[path]].Entry {
			p.pending = true
			continue
		}
		writes = append(writes, Write{Put: memory.PutRequest{Path: path}, ETag: now.ETag, Delete: true})
	}
	outcomes, err := p.store.Write(ctx, writes)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		path := writes[n].Put.Path
		name := p.files[path]
		switch {
		case o.Changed:
			p.pending = true
		case o.Refused != "":
			p.problem(name, 0, "was deleted here, and is back: "+o.Refused)
			if _, err := p.write(name, found[path].Entry, nil); err != nil {
				return p.failed(name, err)
			}
		default:
			delete(p.remote, path)
			if !p.isMoved(name) {
				p.deleted = append(p.deleted, p.now())
			}
			p.forget(name)
			p.done(Event{Kind: Trashed, File: name})
		}
	}
	return nil
}

// isMissing reports whether a file of the state has been missing long enough: some
// programs delete a file before they write it anew.
func (p *pass) isMissing(name string) bool {
	if _, ok := p.missing[name]; !ok {
		p.missing[name] = p.now()
	}
	return p.now().Sub(p.missing[name]) >= p.options.Settle
}

// isMoved reports whether a file that is gone has another name now.
func (p *pass) isMoved(name string) bool { return p.fresh[p.state.Files[name].File] }

// remove moves the files of entries that are gone to the folder's trash.
func (p *pass) remove(context.Context) error {
	if p.tooMany(len(p.removed)) {
		p.problem("", 0, fmt.Sprintf("%d of %d entries are gone: their files are kept; if that is meant, use --force", len(p.removed), len(p.state.Files)))
		return nil
	}
	for _, path := range p.removed {
		name := p.files[path]
		if err := p.folder.remove(name, p.listing.files[name].sum); err != nil {
			if err := p.failed(name, err); err != nil {
				return err
			}
			continue
		}
		p.forget(name)
		p.deleted = append(p.deleted, p.now())
		p.done(Event{Kind: Removed, File: name})
	}
	return nil
}

// What is a large share: more than so many deletions within a minute, and more than one
// in so many of all; or all, if there are several.
const (
	fewDeletions   = 5
	deletedShare   = 4
	deletionWindow = time.Minute
)

// tooMany reports whether so many deletions, with those of late, are a large share of
// all.
func (p *pass) tooMany(count int) bool {
	if count == 0 || p.options.Force {
		return false
	}
	p.deleted = slices.DeleteFunc(p.deleted, func(at time.Time) bool { return p.now().Sub(at) > deletionWindow })
	all, gone := len(p.state.Files)+len(p.deleted), count+len(p.deleted)
	return gone > fewDeletions && gone*deletedShare > all || count > 1 && count == len(p.state.Files)
}
