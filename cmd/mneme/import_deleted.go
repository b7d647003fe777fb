package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/markdown"
	"mneme/memory"
)

// restoring selects which entries that were deleted here an import restores from the trash:
// none, all, or those that the source has changed since the deletion.
type restoring string

const (
	restoreNone    restoring = ""
	restoreAll     restoring = "all"
	restoreChanged restoring = "changed"
)

// add adds the flag --restore, which means all if it has no value.
func (r *restoring) add(flags *pflag.FlagSet) {
	flags.Var(r, "restore", "bring back entries that were deleted here; --restore=changed: those that differ from what was deleted")
	flags.Lookup("restore").NoOptDefVal = string(restoreAll)
}

// String implements pflag.Value.
func (r *restoring) String() string { return string(*r) }

// Type implements pflag.Value.
func (*restoring) Type() string { return "all|changed" }

// Set implements pflag.Value.
func (r *restoring) Set(text string) error {
	if *r = restoring(text); *r != restoreAll && *r != restoreChanged {
		return errors.New("must be all or changed")
	}
	return nil
}

// target is a store and the agent as which an import writes it.
type target struct{ agent, store string }

// trash is the contents of a store's trash that an import could restore.
type trash struct {
	latest map[memory.Path]*memory.Entry
	sums   map[memory.Path][]contents // of all deleted entries of a path
	wholes map[memory.Path]bool       // conversations and documents with deleted parts
	gone   map[memory.Path]bool       // those of wholes without a live part
}

// trashOf reads the trash of a store, once.
func (i *importing) trashOf(ctx context.Context, source *entrySource, agent string) (*trash, error) {
	at := target{agent, source.store}
	if known := i.trashes[at]; known != nil {
		return known, nil
	}
	t := &trash{latest: make(map[memory.Path]*memory.Entry), sums: make(map[memory.Path][]contents), wholes: make(map[memory.Path]bool), gone: make(map[memory.Path]bool)}
	for e, err := range source.trash(ctx) {
		if client.IsAbsent(err) { // the store does not exist yet
			break
		}
		if err != nil {
			return nil, err
		}
		t.sums[e.Path] = append(t.sums[e.Path], contentsOf(markdown.NoteOf(e)))
		if t.latest[e.Path] == nil { // the latest deletion comes first
			t.latest[e.Path] = e
		}
		if whole, ok := partOf(e.Path); ok {
			t.wholes[whole] = true
		}
	}
	if i.trashes == nil {
		i.trashes = make(map[target]*trash)
	}
	i.trashes[at] = t
	return t, nil
}

// forgetFiles removes the deleted entries that are also files in the trash of the imported
// folder. Their deletion is part of the import, and does not mean that a live file with the
// same key was deleted here.
func (t *trash) forgetFiles(deleted []leaf) {
	for _, l := range deleted {
		at := slices.Index(t.sums[l.path], l.sum)
		if at < 0 {
			continue
		}
		if t.sums[l.path] = slices.Delete(t.sums[l.path], at, at+1); len(t.sums[l.path]) == 0 {
			delete(t.latest, l.path)
		}
	}
}

// partOf returns the path of the conversation or document to which a part belongs: KEY for
// KEY/001.
func partOf(path memory.Path) (whole memory.Path, ok bool) {
	at := strings.LastIndexByte(path.Key, '/')
	if at < 0 || len(path.Key)-at-1 < 3 || strings.Trim(path.Key[at+1:], "0123456789") != "" {
		return memory.Path{}, false
	}
	path.Key = path.Key[:at]
	return path, true
}

// leaveDeleted returns the records to write: it drops those whose entries were deleted
// here, unless they are to be restored. A conversation or a document that was deleted here
// gets no new parts either.
func (i *importing) leaveDeleted(ctx context.Context, source *entrySource, agent string, records []record) (kept []record, err error) {
	t, err := i.trashOf(ctx, source, agent)
	if err != nil || len(t.latest) == 0 {
		return records, err
	}
	missing, err := source.missing(ctx, t.candidates(records))
	if err != nil {
		return nil, err
	}
	t.noteWholes(records, missing)
	changed := t.changed(records, missing)
	for _, r := range records {
		whole := t.wholeOf(r)
		former := t.latest[r.put.Path]
		switch {
		case !missing[r.put.Path], former == nil && !t.gone[whole]:
			kept = append(kept, r)
		case !r.isBack && i.restore != restoreAll && (i.restore == restoreNone || !changed[whole]):
			i.counts.Deleted++
			if changed[whole] {
				i.counts.DeletedChanged++
			}
		default:
			if former != nil && !i.dryRun {
				_, err := syncStore{source}.Restore(ctx, r.put.Path)
				if err != nil {
					return nil, err
				}
			}
			i.counts.Restored++
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// wholeOf returns the path of what a record is deleted with: the path of its conversation
// or document, or its own.
func (t *trash) wholeOf(r record) memory.Path {
	if whole, ok := partOf(r.put.Path); ok && r.isPart {
		return whole
	}
	return r.put.Path
}

// candidates returns the paths of records that may have been deleted.
func (t *trash) candidates(records []record) (paths []memory.Path) {
	for _, r := range records {
		if t.latest[r.put.Path] != nil || t.wholes[t.wholeOf(r)] {
			paths = append(paths, r.put.Path)
		}
	}
	return paths
}

// noteWholes records which conversations and documents are deleted completely. For each,
// the first batch of records that contains it decides: parts come in order, so these are
// its first parts.
func (t *trash) noteWholes(records []record, missing map[memory.Path]bool) {
	live := make(map[memory.Path]bool)
	for _, r := range records {
		if whole := t.wholeOf(r); t.wholes[whole] && !missing[r.put.Path] {
			live[whole] = true
		}
	}
	for _, r := range records {
		if whole := t.wholeOf(r); r.isPart && t.wholes[whole] {
			if _, known := t.gone[whole]; !known {
				t.gone[whole] = !live[whole]
			}
		}
	}
}

// changed returns the wholes, see wholeOf, that the source has changed since their
// deletion.
func (t *trash) changed(records []record, missing map[memory.Path]bool) map[memory.Path]bool {
	all := make(map[memory.Path]bool)
	for _, r := range records {
		if former := t.latest[r.put.Path]; missing[r.put.Path] && (former == nil || !says(former, r.put)) {
			all[t.wholeOf(r)] = true
		}
	}
	return all
}

// says reports whether a write would not change an entry, except for its expiry.
func says(e *memory.Entry, put memory.PutRequest) bool {
	switch {
	case !bytes.Equal(compactOf(e.Value), compactOf(put.Value)),
		put.Type != nil && *put.Type != e.Type,
		put.Description != nil && *put.Description != e.Description,
		put.Tags != nil && !slices.Equal(slices.Sorted(slices.Values(*put.Tags)), slices.Sorted(slices.Values(e.Tags))):
		return false
	case put.OccurredAt != nil:
		moment, err := memory.ParseMoment(*put.OccurredAt)
		return err != nil || moment.String() == e.OccurredAt.String()
	}
	return true
}

func compactOf(value json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return value
	}
	return out.Bytes()
}

// missing returns the paths at which the agent finds no entry.
func (s *entrySource) missing(ctx context.Context, paths []memory.Path) (map[memory.Path]bool, error) {
	const atOnce = 100
	missing := make(map[memory.Path]bool)
	for some := range slices.Chunk(paths, atOnce) {
		items := make([]api.BatchItem, len(some))
		for n, path := range some {
			items[n] = itemOf(api.BatchItemOp("get"), path)
		}
		outcomes, err := syncStore{s}.batch(ctx, items)
		if err != nil {
			return nil, err
		}
		for n, o := range outcomes {
			if o.Status == http.StatusNotFound {
				missing[some[n]] = true
			}
		}
	}
	return missing, nil
}

// sayDeleted prints the entries that were deleted here, and those that were restored.
func (i *importing) sayDeleted() {
	c := &i.counts
	if c.Deleted > 0 {
		fmt.Fprintf(i.err, "%s deleted here and %s in the trash: --restore brings %s back\n", was(c.Deleted), either(c.Deleted, "stays", "stay"), either(c.Deleted, "it", "them"))
	}
	if c.DeletedChanged > 0 {
		fmt.Fprintf(i.err, "of these, %s changed at the source since: --restore=changed brings back %s alone\n", was(c.DeletedChanged), either(c.DeletedChanged, "that one", "those"))
	}
	if c.Restored > 0 {
		fmt.Fprintf(i.err, "%s restored from the trash\n", was(c.Restored))
	}
}

// was returns a count with its verb: "1 was" or "2 were".
func was(count int64) string { return fmt.Sprint(count, " ", either(count, "was", "were")) }

// either returns the first word for a count of one, otherwise the second.
func either(count int64, singular, plural string) string {
	if count == 1 {
		return singular
	}
	return plural
}
