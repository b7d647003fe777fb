package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"mneme/acl"
	"mneme/memory"
)

// A value goes out byte for byte as it came in, but encoding/json would
// compact it and escape it for HTML. So objects with a value are encoded
// without it, and it is put in behind: each struct here hides the value of
// the generated type inside it.
type (
	entryHead struct {
		Entry
		Value *struct{} `json:"value,omitempty"`
	}
	writtenHead struct {
		Written
		Value *struct{} `json:"value,omitempty"`
	}
	trashedHead struct {
		Trashed
		Value *struct{} `json:"value,omitempty"`
	}
	hitHead struct {
		Hit
		Value *struct{} `json:"value,omitempty"`
	}
)

// marshal encodes without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// withValue encodes a head with the value put in as its last member.
func withValue(head any, value json.RawMessage) ([]byte, error) {
	text, err := marshal(head)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"value":`...)
	text = append(text, value...)
	return append(text, '}'), nil
}

func entryOf(e *memory.Entry) Entry {
	out := Entry{
		Id: e.ID, StoreId: e.Store, OwnerId: e.Owner, Namespace: e.Namespace, Key: e.Key,
		Label: Label(e.Label.String()), Type: e.Type, Description: e.Description, Tags: tagsOf(e.Tags),
		InContext: e.InContext, Encrypted: e.Encrypted, ExpiresAt: instant(e.ExpiresAt), Version: e.Version,
		CreatedAt: e.CreatedAt.UTC(), UpdatedAt: e.UpdatedAt.UTC(), UpdatedBy: e.UpdatedBy,
	}
	if e.Source != nil {
		out.Source = &e.Source
	}
	return out
}

// encodeEntry is an entry as get, list, versions and export show it.
func encodeEntry(e *memory.Entry) ([]byte, error) {
	return withValue(entryHead{Entry: entryOf(e)}, e.Value)
}

// encodeWritten is an entry as a PUT answers it; indexed is nil unless it was
// asked for.
func encodeWritten(e *memory.Entry, indexed *bool) ([]byte, error) {
	x := entryOf(e)
	return withValue(writtenHead{Written: Written{
		Id: x.Id, StoreId: x.StoreId, OwnerId: x.OwnerId, Namespace: x.Namespace, Key: x.Key, Label: x.Label,
		Type: x.Type, Description: x.Description, Tags: x.Tags, InContext: x.InContext, Encrypted: x.Encrypted,
		Source: x.Source, ExpiresAt: x.ExpiresAt, Version: x.Version, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, UpdatedBy: x.UpdatedBy, Indexed: indexed,
	}}, e.Value)
}

// encodeTrashed is an entry as the trash shows it.
func encodeTrashed(e *memory.Entry) ([]byte, error) {
	x := entryOf(e)
	return withValue(trashedHead{Trashed: Trashed{
		Id: x.Id, StoreId: x.StoreId, OwnerId: x.OwnerId, Namespace: x.Namespace, Key: x.Key, Label: x.Label,
		Type: x.Type, Description: x.Description, Tags: x.Tags, InContext: x.InContext, Encrypted: x.Encrypted,
		Source: x.Source, ExpiresAt: x.ExpiresAt, Version: x.Version, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, UpdatedBy: x.UpdatedBy, DeletedAt: e.DeletedAt.UTC(), DeletedBy: e.DeletedBy,
	}}, e.Value)
}

// encodePage is a page of entries, each encoded by one.
func encodePage(page memory.Page, one func(*memory.Entry) ([]byte, error)) ([]byte, error) {
	body := []byte(`{"items":[`)
	for i := range page.Items {
		text, err := one(&page.Items[i].Entry)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	body = append(body, ']')
	if page.Next != "" { // base64: nothing to escape
		body = append(body, `,"next_cursor":"`+page.Next+`"`...)
	}
	return append(body, '}'), nil
}

// encodeHit is a hit: of a store that the caller may search but not read,
// store, key, label, value and score alone.
func encodeHit(h *memory.Hit) ([]byte, error) {
	out := Hit{StoreId: h.Store, Key: h.Key, Label: Label(h.Label.String()), Score: h.Score}
	if h.Level >= acl.Read {
		x := entryOf(&h.Entry)
		out.Id, out.OwnerId, out.Namespace, out.Type = &x.Id, &x.OwnerId, &x.Namespace, &x.Type
		out.Description, out.Tags, out.UpdatedAt, out.UpdatedBy = &x.Description, &x.Tags, &x.UpdatedAt, &x.UpdatedBy
		out.Explain = explainOf(h.Explain)
	}
	return withValue(hitHead{Hit: out}, h.Value)
}

func explainOf(e *memory.Explain) *Explain {
	if e == nil {
		return nil
	}
	leg := func(r *memory.LegRank) *LegRank {
		if r == nil {
			return nil
		}
		return &LegRank{Rank: r.Rank, Score: r.Score}
	}
	return &Explain{
		Lexical: leg(e.Lexical), Vector: leg(e.Vector), Fused: e.Fused,
		Via: ExplainVia(e.Via), Label: Label(e.Label.String()),
	}
}

// encodeAnswer is what a search answers.
func encodeAnswer(a memory.Answer) ([]byte, error) {
	body := []byte(`{"hits":[`)
	for i := range a.Hits {
		text, err := encodeHit(&a.Hits[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	tail := struct {
		Label      string   `json:"label,omitempty"`
		Degraded   []string `json:"degraded"`
		Incomplete bool     `json:"incomplete"`
	}{a.Label.String(), a.Degraded, a.Incomplete}
	if tail.Degraded == nil {
		tail.Degraded = []string{}
	}
	text, err := marshal(tail)
	if err != nil {
		return nil, err
	}
	body = append(body, "],"...)
	return append(body, text[1:]...), nil
}

func tagsOf(tags []string) Tags {
	if tags == nil {
		return Tags{}
	}
	return tags
}

// instant is a time, or nil for the zero time.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// location is the URL of an entry.
func location(p memory.Path) string {
	at := "/v1/stores/" + url.PathEscape(p.Store) + "/memories/" + url.PathEscape(p.Key)
	if p.Namespace != "" {
		at += "?namespace=" + url.QueryEscape(p.Namespace)
	}
	return at
}

// reply is an answer whose body is encoded here. It stands for the answers
// of every call that shows values.
type reply struct {
	status   int
	body     []byte
	etag     string // without quotes; "": none
	location string
	timing   string // Server-Timing; "": none
}

func (r reply) write(w http.ResponseWriter) error {
	h := w.Header()
	if r.etag != "" {
		h.Set("ETag", quote(r.etag))
	}
	if r.location != "" {
		h.Set("Location", r.location)
	}
	if r.timing != "" {
		h.Set("Server-Timing", r.timing)
	}
	if r.body == nil {
		w.WriteHeader(r.status)
		return nil
	}
	h.Set("Content-Type", contentJSON)
	w.WriteHeader(r.status)
	_, err := w.Write(append(r.body, '\n'))
	return err
}

func (r reply) VisitPutMemoryResponse(w http.ResponseWriter) error     { return r.write(w) }
func (r reply) VisitGetMemoryResponse(w http.ResponseWriter) error     { return r.write(w) }
func (r reply) VisitListMemoriesResponse(w http.ResponseWriter) error  { return r.write(w) }
func (r reply) VisitListVersionsResponse(w http.ResponseWriter) error  { return r.write(w) }
func (r reply) VisitRestoreMemoryResponse(w http.ResponseWriter) error { return r.write(w) }
func (r reply) VisitRenameMemoryResponse(w http.ResponseWriter) error  { return r.write(w) }
func (r reply) VisitListTrashResponse(w http.ResponseWriter) error     { return r.write(w) }
func (r reply) VisitSearchResponse(w http.ResponseWriter) error        { return r.write(w) }
