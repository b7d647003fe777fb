package tool

import (
	"context"
	"strings"

	"mneme/acl"
	"mneme/markdown"
	"mneme/memory"
)

// Index returns MEMORY.md for a caller: one line per entry, by key.
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
			b.WriteString(markdown.IndexLine(p.Agent, &page.Items[i].Entry))
		}
		if page.Next == "" {
			return b.String(), nil
		}
		r.Cursor = page.Next
	}
}
