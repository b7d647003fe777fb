package foldersync

import "time"

// holdAtMost bounds how long a file that is gone is waited for while new files change: a
// file that never stops to change is no reason to keep an entry.
const holdAtMost = 30 * time.Second

// noteArrivals notes since when files are there that are not in the state, and since when
// files of the state are missing. A file that is renamed is both, maybe at two times.
func (p *pass) noteArrivals() {
	before := p.appeared
	p.appeared = make(map[string]time.Time)
	note := func(name string) {
		if _, known := p.state.Files[name]; known || !isNote(name) {
			return
		}
		at, ok := before[name]
		if !ok {
			at = p.now()
		}
		p.appeared[name] = at
	}
	for name := range p.listing.files {
		note(name)
	}
	for name, reason := range p.listing.unknown {
		if reason == "" {
			note(name)
			p.arriving = p.arriving || p.appeared[name] != time.Time{}
		}
	}
	for name := range p.state.Files {
		if p.listing.files[name] == nil && !p.listing.isUnknown(name) {
			p.departing = !p.isMissing(name) || p.departing
		}
	}
}

// isMissing reports whether a file of the state has been missing long enough: some
// programs delete a file before they write it again.
func (p *pass) isMissing(name string) bool {
	if _, ok := p.missing[name]; !ok {
		p.missing[name] = p.now()
	}
	return p.now().Sub(p.missing[name]) >= p.options.Settle
}

// isGone reports whether a file that is missing was deleted, as far as can be known.
func (p *pass) isGone(name string) bool {
	return p.isMissing(name) && (!p.arriving || p.now().Sub(p.missing[name]) >= holdAtMost)
}

// isHeld reports whether a new file may be one that was renamed, whose former name is
// still there, or has just gone.
func (p *pass) isHeld(name string) bool {
	return p.departing || p.options.Settle > 0 && p.now().Sub(p.appeared[name]) < p.options.Settle
}
