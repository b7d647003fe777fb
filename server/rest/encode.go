package rest

import (
	"net/http"
	"net/url"

	"mneme/memory"
	"mneme/server/wire"
)

// Each head type hides the value of the generated type that it embeds, so that
// wire.WithValue can append the value byte for byte.
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

func entryOf(e *memory.Entry) Entry { return generated(wire.EntryOf(e)) }

// generated gives the fields of an entry the names of openapi.yaml.
func generated(e wire.Entry) Entry {
	out := Entry{
		Id: e.ID, StoreId: e.Store, OwnerId: e.Owner, Namespace: e.Namespace, Key: e.Key,
		Label: Label(e.Label), Type: e.Type, Description: e.Description, Tags: e.Tags,
		InContext: e.InContext, Encrypted: e.Encrypted, ExpiresAt: e.ExpiresAt, Version: e.Version,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, UpdatedBy: e.UpdatedBy,
	}
	if e.Source != nil {
		out.Source = &e.Source
	}
	return out
}

// encodeEntry encodes an entry for get, list, versions and export.
func encodeEntry(e *memory.Entry) ([]byte, error) {
	return wire.WithValue(entryHead{Entry: entryOf(e)}, e.Value)
}

// encodeWritten encodes an entry for the answer to a PUT; indexed is nil without
// wait=indexed.
func encodeWritten(e *memory.Entry, indexed *bool) ([]byte, error) {
	x := entryOf(e)
	return wire.WithValue(writtenHead{Written: Written{
		Id: x.Id, StoreId: x.StoreId, OwnerId: x.OwnerId, Namespace: x.Namespace, Key: x.Key, Label: x.Label,
		Type: x.Type, Description: x.Description, Tags: x.Tags, InContext: x.InContext, Encrypted: x.Encrypted,
		Source: x.Source, ExpiresAt: x.ExpiresAt, Version: x.Version, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, UpdatedBy: x.UpdatedBy, Indexed: indexed,
	}}, e.Value)
}

// encodeTrashed encodes an entry of the trash.
func encodeTrashed(e *memory.Entry) ([]byte, error) {
	x := entryOf(e)
	return wire.WithValue(trashedHead{Trashed: Trashed{
		Id: x.Id, StoreId: x.StoreId, OwnerId: x.OwnerId, Namespace: x.Namespace, Key: x.Key, Label: x.Label,
		Type: x.Type, Description: x.Description, Tags: x.Tags, InContext: x.InContext, Encrypted: x.Encrypted,
		Source: x.Source, ExpiresAt: x.ExpiresAt, Version: x.Version, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, UpdatedBy: x.UpdatedBy, DeletedAt: e.DeletedAt.UTC(), DeletedBy: e.DeletedBy,
	}}, e.Value)
}

// encodePage encodes a page of entries, each with one.
func encodePage(page memory.Page, one func(*memory.Entry) ([]byte, error)) ([]byte, error) {
	return wire.List("items", page.Items, func(f *memory.Found) ([]byte, error) { return one(&f.Entry) }, struct {
		Next string `json:"next_cursor,omitempty"`
	}{page.Next})
}

// encodeHit encodes a hit. If the caller may not read the store, it has only
// store, key, label, value and score.
func encodeHit(h *memory.Hit) ([]byte, error) {
	hit := wire.HitOf(h)
	out := Hit{StoreId: hit.Store, Key: hit.Key, Label: Label(hit.Label), Score: hit.Score}
	if e := hit.Entry; e != nil {
		out.Id, out.OwnerId, out.Namespace, out.Type = &e.ID, &e.Owner, &e.Namespace, &e.Type
		out.Description, out.Tags, out.UpdatedAt, out.UpdatedBy = &e.Description, &e.Tags, &e.UpdatedAt, &e.UpdatedBy
		out.Explain = explainOf(h.Explain)
	}
	return wire.WithValue(hitHead{Hit: out}, hit.Value)
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

// encodeAnswer encodes the answer of a search.
func encodeAnswer(a memory.Answer) ([]byte, error) {
	return wire.List("hits", a.Hits, encodeHit, struct {
		Label      string   `json:"label,omitempty"`
		Degraded   []string `json:"degraded"`
		Incomplete bool     `json:"incomplete"`
	}{a.Label.String(), append([]string{}, a.Degraded...), a.Incomplete})
}

// location returns the URL of an entry.
func location(p memory.Path) string {
	at := "/v1/stores/" + url.PathEscape(p.Store) + "/memories/" + url.PathEscape(p.Key)
	if p.Namespace != "" {
		at += "?namespace=" + url.QueryEscape(p.Namespace)
	}
	return at
}

// reply is a response with an encoded body. All calls that return values use it.
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
	h.Set("Content-Type", wire.ContentJSON)
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
