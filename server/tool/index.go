package tool

import (
	"context"
	"strings"

	"mneme/acl"
	"mneme/markdown"
	"mneme/memory"
)

// indexNote ends an index that was truncated. It cannot be mistaken for an
// entry's line.
const indexNote = "\n(truncated: true; search for the other entries)\n"

// Index returns MEMORY.md for a caller: one line per entry with its day, ordered by key,
// within the limit of an answer.
//
// The index of another agent's store is empty if the caller may read the store,
// and acl.ErrDenied otherwise.
func (t *Tools) Index(ctx context.Context, p acl.Principal, store string) (string, error) {
	var b strings.Builder
	r := memory.ListRequest{Store: store, Filter: memory.Filter{Namespace: &defaultNamespace}, Limit: 100, WithoutText: true}
	for {
		page, err := t.service.List(ctx, memory.Caller{Principal: p}, r)
		if err != nil {
			return "", err
		}
		if store != p.Agent {
			return "", nil
		}
		for i := range page.Items {
			e := &page.Items[i].Entry
			line := markdown.IndexLine(p.Agent, e)
			if line != "" {
				line = strings.TrimSuffix(line, "\n") + " (" + e.Day() + ")\n"
			}
			if b.Len()+len(line) > t.maxText-len(indexNote) {
				b.WriteString(indexNote)
				return b.String(), nil
			}
			b.WriteString(line)
		}
		if page.Next == "" {
			return b.String(), nil
		}
		r.Cursor = page.Next
	}
}
