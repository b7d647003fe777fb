package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/wire"
)

// triggerfish returns the tools of Triggerfish's persistent memory, over the
// agent's own store. Entries take the session's label; no argument chooses it. The
// parameter namespace is mneme's extension: searches and saves may name any
// namespace.
func triggerfish(v variant) []tool {
	return []tool{
		{memorySaveDefinition, memorySave},
		{memoryGetDefinition, memoryGet},
		{memorySearchDefinition(v), memorySearch},
		{memoryListDefinition, memoryList},
		{memoryDeleteDefinition, memoryDelete},
	}
}

// save writes a value under a key in the caller's own store.
func (c *call) save(ctx context.Context, key string, value, source json.RawMessage, change func(*memory.PutRequest)) (memory.PutResult, error) {
	plain := false // plain text never replaces a client's encrypted blob
	r := memory.PutRequest{Path: c.own(key), Value: value, Encrypted: &plain, Source: c.lineage(source)}
	if change != nil {
		change(&r)
	}
	return c.service.Put(ctx, c.caller, r)
}

func memorySave(ctx context.Context, c *call) (Result, error) {
	var key, namespace, content, zone string
	var source json.RawMessage
	var occurred *string
	tags := []string{} // without the parameter the entry has no tags
	given, err := c.decode(arguments{
		"key": &key, "namespace": &namespace, "content": &content, "tags": &tags, "occurred_at": &occurred, "timezone": &zone, "source": &source,
	})
	if err == nil {
		err = need(given, "key", "content")
	}
	switch {
	case err != nil:
		return Result{}, err
	case content == "":
		return Result{}, refuse("Error: `content` must not be empty")
	}
	value, err := quoted(content)
	if err != nil {
		return Result{}, err
	}
	c.parameter = map[string]string{"value": "`content`"}
	put, err := c.save(ctx, key, value, source, func(r *memory.PutRequest) {
		r.Path.Namespace = namespace
		r.Tags, r.OccurredAt, r.Timezone, r.Similar = &tags, occurred, zone, true
	})
	if err != nil {
		return Result{}, err
	}
	return asJSON(struct {
		Saved          bool      `json:"saved"`
		Key            string    `json:"key"`
		Classification acl.Label `json:"classification"`
		Similar        []alike   `json:"similar,omitempty"`
		SimilarUnknown bool      `json:"similar_unknown,omitempty"` // time ran out before it was compared
	}{true, put.Key, put.Label, alikeOf(put.Similar), put.SimilarLate})
}

// absent is the result for a key without an entry.
type absent struct {
	Found bool   `json:"found"`
	Key   string `json:"key"`
}

// gotten is the result of memory_get.
type gotten struct {
	Found          bool      `json:"found"`
	Key            string    `json:"key"`
	Content        string    `json:"content"`
	Classification acl.Label `json:"classification"`
	Tags           []string  `json:"tags"`
	UpdatedAt      time.Time `json:"updated_at"`
	OccurredAt     string    `json:"occurred_at,omitempty"`
	page
}

func memoryGet(ctx context.Context, c *call) (Result, error) {
	var namespace, asOf string
	var part stretch
	key, given, err := c.key(part.add(arguments{"namespace": &namespace, memory.OptionAsOf: &asOf}))
	if err != nil {
		return Result{}, err
	}
	var found memory.Found
	if asOf == "" { // OpenAI's strict functions send every parameter, empty if unused
		found, err = c.service.Get(ctx, c.caller, c.ownIn(namespace, key))
	} else {
		found, err = c.service.GetAsOf(ctx, c.caller, c.ownIn(namespace, key), asOf, "")
	}
	if errors.Is(err, memory.ErrNotFound) {
		return asJSON(absent{Key: key})
	}
	if err != nil {
		return Result{}, err
	}
	got := gotten{Found: true, Key: found.Key, Classification: found.Label, Tags: wire.Tags(found.Tags), UpdatedAt: found.UpdatedAt.UTC(), OccurredAt: found.OccurredAt.String()}
	if got.page, err = c.read(display(found.Value), part, given, got); err != nil {
		return Result{}, err
	}
	got.Content = got.text
	return asJSON(got)
}

// key decodes the arguments of a call that needs a key and accepts others.
func (c *call) key(others arguments) (key string, given map[string]bool, err error) {
	others["key"] = &key
	given, err = c.decode(others)
	if err == nil {
		err = need(given, "key")
	}
	return key, given, err
}

// storeIDs checks the parameter stores, in which self is the caller's own store.
func (c *call) storeIDs(named []string) (stores []string, err error) {
	for _, store := range named {
		if store == "self" {
			store = c.caller.Agent
		}
		if err := acl.CheckID(store); err != nil {
			return nil, because(err, "Error: `stores`: %s", acl.ErrBadID)
		}
		stores = append(stores, store)
	}
	return stores, nil
}

func memorySearch(ctx context.Context, c *call) (Result, error) {
	limit := wire.DefaultHits
	options := newSearchOptions()
	var named []string
	given, err := c.decode(options.add(arguments{"max_results": &limit, "stores": &named}))
	if err != nil {
		return Result{}, err
	}
	limit = min(max(limit, 1), wire.MaxHits)
	stores, err := c.storeIDs(named)
	if err != nil {
		return Result{}, err
	}
	r, err := options.request(c, given, limit, stores)
	if err != nil {
		return Result{}, err
	}
	question := append([]string{r.Query}, r.Queries...)
	answer, err := c.hits(ctx, cmp.Or(question...), r, given["cursor"], c.memoryHit)
	if err != nil {
		return Result{}, err
	}
	return asJSON(answer)
}

// maxListContent bounds the text of an entry in memory_list, in bytes.
const maxListContent = 2000

// noMemories is the result of an empty memory_list.
var noMemories = Result{Text: "No memories found.", Object: json.RawMessage(`{"memories":[]}`)}

// listedMemory is an entry in memory_list.
type listedMemory struct {
	Key            string    `json:"key"`
	Content        string    `json:"content"`
	Truncated      bool      `json:"truncated,omitempty"` // of Content, which memory_get has whole
	Classification acl.Label `json:"classification"`
	Tags           []string  `json:"tags"`
	UpdatedAt      time.Time `json:"updated_at"`
	OccurredAt     string    `json:"occurred_at,omitempty"`
}

// listAnswer is the result of memory_list.
type listAnswer struct {
	Memories   any    `json:"memories"`
	Truncated  bool   `json:"truncated,omitempty"`   // there are more
	NextCursor string `json:"next_cursor,omitempty"` // where they begin
}

func memoryList(ctx context.Context, c *call) (Result, error) {
	var tag string // Triggerfish's own alternative to tags
	r := memory.ListRequest{Store: c.caller.Agent, Filter: memory.Filter{Namespace: &defaultNamespace}, Limit: wire.DefaultPage}
	if _, err := c.decode(arguments{
		"tag": &tag, memory.OptionTags: &r.Filter.Tags, "prefix": &r.Prefix, "limit": &r.Limit, "cursor": &r.Cursor, memory.OptionAsOf: &r.AsOf,
	}); err != nil {
		return Result{}, err
	}
	if tag != "" { // OpenAI's strict functions send every parameter, empty if unused
		r.Filter.Tags = append(r.Filter.Tags, tag)
	}
	page, err := c.service.List(ctx, c.caller, r)
	if errors.Is(err, memory.ErrCursor) {
		err = because(err, "Error: `cursor` is not valid for this list; all other parameters must be those of the first page")
	}
	if err != nil {
		return Result{}, err
	}
	l, err := c.newList(listAnswer{NextCursor: page.Next})
	if err != nil {
		return Result{}, err
	}
	for i := range page.Items {
		fits, err := l.tryAdd(listedMemoryOf(&page.Items[i], maxListContent))
		if err != nil {
			return Result{}, err
		}
		if !fits {
			return c.shortList(ctx, r, len(l.items))
		}
	}
	if len(l.items) == 0 && page.Next == "" {
		return noMemories, nil
	}
	return asJSON(listAnswer{Memories: l.items, Truncated: page.Next != "", NextCursor: page.Next})
}

// shortList returns a page of at most n entries, or fewer if they do not fit together with
// the cursor, which depends on the page's last entry. The page has one entry at least, whose
// text is truncated if necessary.
func (c *call) shortList(ctx context.Context, r memory.ListRequest, n int) (Result, error) {
	r.Limit = max(1, n)
	for most := maxListContent; ; {
		page, err := c.service.List(ctx, c.caller, r)
		if err != nil {
			return Result{}, err
		}
		listed := make([]listedMemory, len(page.Items))
		for i := range page.Items {
			listed[i] = listedMemoryOf(&page.Items[i], most)
		}
		result, err := asJSON(listAnswer{Memories: listed, Truncated: page.Next != "", NextCursor: page.Next})
		switch {
		case err != nil || len(result.Text) <= c.maxAnswer || most == 0:
			return result, err
		case r.Limit > 1:
			r.Limit--
		default:
			most /= 2
		}
	}
}

// listedMemoryOf returns an entry with at most most bytes of its text.
func listedMemoryOf(e *memory.Found, most int) listedMemory {
	item := listedMemory{Key: e.Key, Content: memory.MarkDataURLs(display(e.Value)), Classification: e.Label, Tags: wire.Tags(e.Tags), UpdatedAt: e.UpdatedAt.UTC(), OccurredAt: e.OccurredAt.String()}
	if n := wholeCharacters(item.Content, most); n < len(item.Content) {
		item.Content, item.Truncated = item.Content[:n], true
	}
	return item
}

// removed is the result of a deletion; Deleted is false if there was no entry.
type removed struct {
	Deleted bool   `json:"deleted"`
	Key     string `json:"key"`
}

func memoryDelete(ctx context.Context, c *call) (Result, error) {
	var namespace string
	key, _, err := c.key(arguments{"namespace": &namespace})
	if err != nil {
		return Result{}, err
	}
	if err := c.service.Delete(ctx, c.caller, c.ownIn(namespace, key), memory.Preconditions{}); err != nil {
		return Result{}, err
	}
	return asJSON(removed{Deleted: true, Key: key})
}
