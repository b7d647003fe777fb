package tool

import (
	"context"
	"strings"

	"mneme/acl"
	"mneme/markdown"
	"mneme/memory"
)

// Index renders MEMORY.md for a caller: the lines of its entries, by key.
//
// A store that is not the caller's own has an empty index for those who may
// read it, and is acl.ErrDenied for others.
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
