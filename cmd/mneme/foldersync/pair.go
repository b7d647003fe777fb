package foldersync

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"mneme/markdown"
	"mneme/memory"
)

// rename is a renamed file: one of the last common state that now has another name.
type rename struct {
	from, to string
	base     base // of from
	over     bool // whether the rename overwrote to, another file of the state
	// isOther reports that nothing was renamed: from is a new note that has the key of to,
	// a missing file of the state.
	isOther bool
}

// The minimum similarity of a renamed file with its former version, see similarity, if only
// its folder changed or also its name. It is below 1 because programs that rename a file
// rewrite links in it, and people its title.
const (
	sameNameShare  = 0.5
	otherNameShare = 0.75
	// maxCompared bounds how many pairs of files are compared by their texts.
	maxCompared = 200_000
)

// pair finds renamed files: it matches the files of the state that no longer exist, or that
// have changed, with the files that now have their former contents, equal ones first, then
// nearly equal ones.
func (p *pass) pair(ctx context.Context) ([]rename, error) {
	var gone, changed, fresh []string
	for name, base := range p.state.Files {
		here := p.listing.files[name]
		switch {
		case here == nil && p.listing.isUnknown(name):
		case here == nil:
			if p.isMissing(name) {
				gone = append(gone, name)
			}
		case here.sum != base.File && len(here.problems) == 0:
			changed = append(changed, name)
		}
	}
	for name, here := range p.listing.files {
		if _, known := p.state.Files[name]; !known && len(here.problems) == 0 {
			fresh = append(fresh, name)
		}
	}
	if len(gone)+len(changed) == 0 || len(fresh)+len(changed) == 0 {
		return nil, nil
	}
	m := matching{pass: p, to: make(map[string]string), from: make(map[string]string), rewritten: make(map[string]bool)}
	if err := m.readTexts(ctx, gone, changed, fresh); err != nil {
		return nil, err
	}
	m.byPath(m.movedOf(gone), fresh, true)
	m.bySum(slices.Concat(gone, changed), slices.Concat(fresh, changed))
	m.byPath(gone, fresh, false)
	// Changed files that were not rewritten were only edited: they are not renamed ones.
	changed = slices.DeleteFunc(changed, func(name string) bool { return !m.rewritten[name] })
	m.byText(m.unpaired(slices.Concat(gone, changed), m.to), m.unpaired(slices.Concat(fresh, changed), m.from))
	return append(m.renames(), m.others...), nil
}

// matching holds the pairs found so far.
type matching struct {
	*pass
	to, from map[string]string // the new file of each former one, and the reverse
	// former are the words of the entries of former files, and now those of present files.
	former, now map[string]words
	rewritten   map[string]bool // files of the state whose text has changed
	others      []rename        // files with the keys of missing ones, see rename.isOther
}

// readTexts reads the texts to compare.
func (m *matching) readTexts(ctx context.Context, gone, changed, fresh []string) error {
	var paths []memory.Path
	for _, name := range slices.Concat(gone, changed) {
		if there, ok := m.whereIs(m.state.Files[name]); ok {
			paths = append(paths, there)
		}
	}
	found, err := m.read(ctx, paths)
	if err != nil {
		return err
	}
	m.former, m.now = make(map[string]words), make(map[string]words)
	for _, name := range slices.Concat(gone, changed) {
		if there, ok := m.whereIs(m.state.Files[name]); ok && found[there] != nil {
			m.former[name] = wordsOf(found[there].Entry.Value)
		}
	}
	for _, name := range slices.Concat(changed, fresh) {
		m.now[name] = wordsOf(m.listing.files[name].note.Value)
	}
	for _, name := range changed {
		m.rewritten[name] = m.former[name].similarity(m.now[name]) < sameNameShare
	}
	return nil
}

func (m *matching) add(from, to string) { m.to[from], m.from[to] = to, from }

// unpaired returns the files without a pair in a map, sorted.
func (m *matching) unpaired(files []string, pairs map[string]string) []string {
	left := slices.DeleteFunc(slices.Clone(files), func(name string) bool { return pairs[name] != "" })
	slices.Sort(left)
	return left
}

// movedOf returns the files whose entries have another path in the store than in the
// state, for example after an interrupted pass.
func (m *matching) movedOf(files []string) (moved []string) {
	for _, name := range files {
		if there, ok := m.whereIs(m.state.Files[name]); ok && m.isMoved(m.state.Files[name], there) {
			moved = append(moved, name)
		}
	}
	return moved
}

// byPath pairs a missing file with a new file that has its entry's path and nearly its
// contents. With other contents they are two notes. If moved, these are left alone: the
// store has just renamed the entry to the path of the new file. Otherwise others records
// that the new note replaces the missing one.
func (m *matching) byPath(gone, fresh []string, moved bool) {
	at := make(map[memory.Path]string)
	for _, name := range m.unpaired(fresh, m.from) {
		at[m.pathOf(name)] = name
	}
	for _, name := range m.unpaired(gone, m.to) {
		there, ok := m.whereIs(m.state.Files[name])
		to := at[there]
		switch base := m.state.Files[name]; {
		case !ok || to == "" || m.from[to] != "":
		case m.listing.files[to].sum == base.File, m.former[name].similarity(m.now[to]) >= sameNameShare:
			m.add(name, to)
		case moved, m.isMoved(base, there):
		default:
			m.others = append(m.others, rename{from: to, to: name, over: true, isOther: true})
		}
	}
}

// bySum pairs files with equal contents. If several files have the same contents, those are
// paired whose names have the most in common.
func (m *matching) bySum(from, to []string) {
	former, now := make(map[string][]string), make(map[string][]string)
	for _, name := range m.unpaired(from, m.to) {
		sum := m.state.Files[name].File
		former[sum] = append(former[sum], name)
	}
	for _, name := range m.unpaired(to, m.from) {
		sum := m.listing.files[name].sum
		now[sum] = append(now[sum], name)
	}
	var all []candidate
	for sum, names := range former {
		for _, one := range names {
			for _, other := range now[sum] {
				if one != other && len(names)*len(now[sum]) <= maxCompared || path.Base(one) == path.Base(other) && one != other {
					all = append(all, candidate{one, other, 1})
				}
			}
		}
	}
	m.take(all)
}

// byText pairs files with nearly equal contents.
func (m *matching) byText(from, to []string) {
	few := len(from)*len(to) <= maxCompared
	var all []candidate
	for _, one := range from {
		for _, other := range to {
			same := markdown.Fold(path.Base(one)) == markdown.Fold(path.Base(other))
			if one == other || !same && !few {
				continue
			}
			share := m.former[one].similarity(m.now[other])
			if share >= otherNameShare || same && share >= sameNameShare {
				all = append(all, candidate{one, other, share})
			}
		}
	}
	m.take(all)
}

// candidate is a possible pair.
type candidate struct {
	from, to string
	share    float64 // of their contents, see similarity
}

// take adds the best candidates, each file once.
func (m *matching) take(all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(closeness(b.from, b.to), closeness(a.from, a.to)),
			cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for _, c := range all {
		if m.to[c.from] == "" && m.from[c.to] == "" {
			m.add(c.from, c.to)
		}
	}
}

// closeness is how much two names have in common: file and folder names at the end count
// before those at the beginning.
func closeness(one, other string) int {
	a, b := strings.Split(markdown.Fold(one), "/"), strings.Split(markdown.Fold(other), "/")
	least := min(len(a), len(b))
	end, begin := 0, 0
	for end < least && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for begin < least && a[begin] == b[begin] {
		begin++
	}
	return end*1000 + begin
}

// renames returns the pairs that are renames. A file that still exists was not renamed
// unless another file took its name, or it got a new text.
func (m *matching) renames() (all []rename) {
	for dropped := true; dropped; {
		dropped = false
		for from, to := range m.to {
			if m.listing.files[from] != nil && m.from[from] == "" && !m.rewritten[from] {
				delete(m.to, from)
				delete(m.from, to)
				dropped = true
			}
		}
	}
	for from, to := range m.to {
		_, known := m.state.Files[to]
		all = append(all, rename{from: from, to: to, base: m.state.Files[from], over: known && m.to[to] == ""})
	}
	slices.SortFunc(all, func(a, b rename) int { return cmp.Compare(a.from, b.from) })
	return all
}

// pathOf returns the path of a file: from the state, or from the file itself.
func (p *pass) pathOf(name string) memory.Path {
	if base, ok := p.state.Files[name]; ok {
		return base.path(p.options.Origin.Store)
	}
	note := p.listing.files[name].note
	return memory.Path{Store: p.options.Origin.Store, Namespace: note.Namespace, Key: note.Name}
}
