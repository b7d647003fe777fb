package foldersync

import "time"

// holdAtMost bounds how long an entry waits for its missing file while new files change: a
// file that never stops changing must not keep an entry alive.
const holdAtMost = 30 * time.Second

// noteArrivals records when files that are not in the state appeared, and when files of
// the state went missing. A renamed file does both, possibly at different times.
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
// programs delete a file before they rewrite it.
func (p *pass) isMissing(name string) bool {
	if _, ok := p.missing[name]; !ok {
		p.missing[name] = p.now()
	}
	return p.now().Sub(p.missing[name]) >= p.options.Settle
}

// isGone reports whether a missing file was deleted, as far as can be known.
func (p *pass) isGone(name string) bool {
	return p.isMissing(name) && (!p.arriving || p.now().Sub(p.missing[name]) >= holdAtMost)
}

// isHeld reports whether a new file may be a renamed one whose former name still exists,
// or has just disappeared.
func (p *pass) isHeld(name string) bool {
	return p.departing || p.options.Settle > 0 && p.now().Sub(p.appeared[name]) < p.options.Settle
}
