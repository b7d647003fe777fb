package foldersync

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/markdown"
	"mneme/memory"
)

// Bounds of one call of Write.
const (
	writeAtOnce    = 100
	maxWrittenSize = 4 << 20 // bytes of values, unless a single value has more
	// maxValueSize is the size of the largest value, in bytes. A server refuses batches of
	// more than 10,000,000 bytes, which include the other fields.
	maxValueSize = 9_900_000
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
	if err := p.revive(ctx, found); err != nil {
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
		if len(put.Value) > maxValueSize {
			p.problem(name, 0, fmt.Sprintf("is larger than %d bytes", maxValueSize))
			continue
		}
		write := Write{Put: put}
		if now := found[path]; now != nil {
			if !p.revived[path] && !remoteOf(now.Entry).is(base) {
				p.pending = true
				continue
			}
			write.ETag = now.ETag
		}
		if len(writes) == writeAtOnce || size+len(put.Value) > maxWrittenSize {
			if err := flush(); err != nil {
				return err
			}
		}
		writes, names, size = append(writes, write), append(names, name), size+len(put.Value)
	}
	return flush()
}

// known returns the paths that exist in the store.
func (p *pass) known(paths []memory.Path) []memory.Path {
	return slices.DeleteFunc(slices.Clone(paths), func(path memory.Path) bool { _, ok := p.remote[path]; return !ok })
}

// putOf returns the write of a file. Its TTL is nil, which leaves the expiry unchanged, if
// the entry already expires when the file says. reason says why the file cannot be written
// to the store; "" if it can.
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

// send writes files to the store, and records the result.
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
			now := found[path]
			there := remote{digest: digest(here.note)}
			if now != nil {
				there.id = now.Entry.ID.String()
			}
			if now != nil && now.ETag == o.ETag {
				there.digest = digest(markdown.NoteOf(now.Entry))
			} else { // it was changed again: the next pass notices
				p.pending = true
			}
			p.agree(name, there)
			p.done(Event{Kind: Uploaded, File: name})
		}
	}
	return nil
}

// hidden reports a file whose key belongs to an entry that cannot be listed.
func (p *pass) hidden(ctx context.Context, name string, path memory.Path) {
	if found, err := p.read(ctx, []memory.Path{path}); err == nil && found[path] == nil {
		p.problem(name, 0, "the store has an entry of this key that is not listed")
	}
}
