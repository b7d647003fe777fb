package tool

import (
	"context"
	"strings"
	"unicode"

	"mneme/acl"
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
			b.WriteString(IndexLine(p.Agent, &page.Items[i].Entry))
		}
		if page.Next == "" {
			return b.String(), nil
		}
		r.Cursor = page.Next
	}
}

// IndexLine is an entry's line of an agent's MEMORY.md, with its line feed; ""
// for an entry that has no place there. MEMORY.md goes into system prompts, so
// it holds nothing that another could have put there: only entries of the
// agent's own store that it owns and last wrote itself, in the namespace "",
// with a type and a description.
func IndexLine(agent string, e *memory.Entry) string {
	if e.Store != agent || e.Owner != agent || e.UpdatedBy != agent || e.Namespace != "" {
		return ""
	}
	description := indexDescription(e.Description)
	if e.Type == "" || description == "" || !entryName.MatchString(e.Key) {
		return ""
	}
	return "- [" + e.Key + "](" + e.Key + ".md) — " + description + "\n"
}

// indexDescription is a description without what could end its line, hide
// text in it, or begin a link or code. The backslash is escaped too: else one
// in the description would undo the escape that follows it.
func indexDescription(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
		case strings.ContainsRune("[]`\\", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
