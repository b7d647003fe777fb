package rest

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"mneme/memory"
	"mneme/search"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// Each head type hides the value of the generated type that it embeds, so that
// wire.WithValue can append the value byte for byte.
type (
	entryHead struct {
		api.Entry
		Value *struct{} `json:"value,omitempty"`
	}
	writtenHead struct {
		api.Written
		Value *struct{} `json:"value,omitempty"`
	}
	trashedHead struct {
		api.Trashed
		Value *struct{} `json:"value,omitempty"`
	}
	hitHead struct {
		api.Hit
		Value   *struct{}     `json:"value,omitempty"`
		Explain *wire.Explain `json:"explain,omitempty"`
	}
)

func entryOf(e *memory.Entry) api.Entry { return generated(wire.EntryOf(e)) }

// generated gives the fields of an entry the names of openapi.yaml.
func generated(e wire.Entry) api.Entry {
	out := api.Entry{
		Id: e.ID, StoreId: e.Store, OwnerId: e.Owner, Namespace: e.Namespace, Key: e.Key,
		Label: api.Label(e.Label), Type: e.Type, Description: e.Description, Tags: e.Tags,
		InContext: e.InContext, Encrypted: e.Encrypted, ExpiresAt: e.ExpiresAt, Version: e.Version,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, UpdatedBy: e.UpdatedBy,
		TypeBy: e.TypeBy, DescriptionBy: e.DescriptionBy, OccurredAt: e.OccurredAt,
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

// encodeWritten encodes an entry for the answer to a PUT. indexed is nil without
// wait=indexed and similar=true, and similar if that is not known or was not asked for.
func encodeWritten(e *memory.Entry, indexed *bool, similar *[]api.Similar) ([]byte, error) {
	x := entryOf(e)
	return wire.WithValue(writtenHead{Written: api.Written{
		Id: x.Id, StoreId: x.StoreId, OwnerId: x.OwnerId, Namespace: x.Namespace, Key: x.Key, Label: x.Label,
		Type: x.Type, Description: x.Description, Tags: x.Tags, InContext: x.InContext, Encrypted: x.Encrypted,
		Source: x.Source, ExpiresAt: x.ExpiresAt, Version: x.Version, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, UpdatedBy: x.UpdatedBy, TypeBy: x.TypeBy, DescriptionBy: x.DescriptionBy,
		OccurredAt: x.OccurredAt, Indexed: indexed, Similar: similar,
	}}, e.Value)
}

// similarOf returns the entries that are similar to a written one; nil if that is not
// known.
func similarOf(found []memory.Near) *[]api.Similar {
	if found == nil {
		return nil
	}
	out := make([]api.Similar, len(found))
	for i := range found {
		e := &found[i].Entry
		out[i] = api.Similar{Namespace: e.Namespace, Key: e.Key, Label: api.Label(e.Label.String()), Description: e.Description, Relevance: found[i].Relevance}
	}
	return &out
}

// encodeTrashed encodes an entry of the trash.
func encodeTrashed(e *memory.Entry) ([]byte, error) {
	x := entryOf(e)
	return wire.WithValue(trashedHead{Trashed: api.Trashed{
		Id: x.Id, StoreId: x.StoreId, OwnerId: x.OwnerId, Namespace: x.Namespace, Key: x.Key, Label: x.Label,
		Type: x.Type, Description: x.Description, Tags: x.Tags, InContext: x.InContext, Encrypted: x.Encrypted,
		Source: x.Source, ExpiresAt: x.ExpiresAt, Version: x.Version, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, UpdatedBy: x.UpdatedBy, TypeBy: x.TypeBy, DescriptionBy: x.DescriptionBy,
		OccurredAt: x.OccurredAt, DeletedAt: e.DeletedAt.UTC(), DeletedBy: e.DeletedBy,
	}}, e.Value)
}

// listing is the answer of a list: the entries that each yields, read and
// encoded while they are written, then the cursor that it returns.
func listing(each func(yield func(memory.Found) error) (next string, err error), encode func(*memory.Entry) ([]byte, error)) streamed {
	return streamed{encode: func(w io.Writer) error {
		return wire.List(w, "items", func(item func([]byte) error) (any, error) {
			next, err := each(func(f memory.Found) error {
				text, err := encode(&f.Entry)
				if err != nil {
					return err
				}
				return item(text)
			})
			return struct {
				Next string `json:"next_cursor,omitempty"`
			}{next}, err
		})
	}}
}

// encodeHit encodes a hit. If the caller may not read the store, it has only
// store, key, label, value, score and relevance.
func encodeHit(h *search.Hit) ([]byte, error) {
	hit := wire.HitOf(h)
	out := api.Hit{StoreId: hit.Store, Key: hit.Key, Label: api.Label(hit.Label), Score: hit.Score, Relevance: hit.Relevance}
	if e := hit.Entry; e != nil {
		out.Id, out.OwnerId, out.Namespace, out.Type = &e.ID, &e.Owner, &e.Namespace, &e.Type
		out.Description, out.Tags, out.UpdatedAt, out.UpdatedBy = &e.Description, &e.Tags, &e.UpdatedAt, &e.UpdatedBy
		out.OccurredAt = e.OccurredAt
		out.Highlights = ranges(hit.Highlights)
		if hit.Passages != nil {
			out.Truncated = new(true)
		}
	}
	if hit.Passages == nil {
		return wire.WithValue(hitHead{Hit: out, Explain: hit.Explain}, hit.Value)
	}
	passages := make([]api.Passage, len(hit.Passages))
	for i, p := range hit.Passages {
		passages[i] = api.Passage{Text: p.Text, Start: p.Start, End: p.End, Highlights: ranges(p.Highlights)}
	}
	out.Passages = &passages
	return wire.Marshal(hitHead{Hit: out, Explain: hit.Explain})
}

// ranges returns byte ranges as answers show them; nil if there are none.
func ranges(of [][2]int) *api.Ranges {
	if len(of) == 0 {
		return nil
	}
	shown := make(api.Ranges, len(of))
	for i, r := range of {
		shown[i] = r[:]
	}
	return &shown
}

// nearestOf returns the entries that come closest where there are no hits.
func nearestOf(found []memory.Near) (out []api.Nearest) {
	for i := range found {
		e := &found[i].Entry
		out = append(out, api.Nearest{
			StoreId: e.Store, Namespace: e.Namespace, Key: e.Key, Label: api.Label(e.Label.String()), Description: e.Description,
			Relevance: found[i].Relevance, Unsure: true,
		})
	}
	return out
}

// writeAnswer writes the answer of a search. It reads the values of the hits
// while it writes them, so that the label is known only after them.
func (s *Surface) writeAnswer(ctx context.Context, w io.Writer, r search.Request, a *search.Answer) error {
	return wire.List(w, "hits", func(item func([]byte) error) (any, error) {
		label, err := s.searcher.EachHit(ctx, a, func(h *search.Hit) error {
			text, err := encodeHit(h)
			if err != nil {
				return err
			}
			return item(text)
		})
		if err != nil {
			return nil, err
		}
		tail := struct {
			Label      string        `json:"label,omitempty"`
			Degraded   []string      `json:"degraded"`
			Incomplete bool          `json:"incomplete"`
			Reason     string        `json:"reason,omitempty"`
			Nearest    []api.Nearest `json:"nearest,omitempty"`
			Tokens     *int          `json:"tokens,omitempty"`
			Next       string        `json:"next_cursor,omitempty"`

			Explain *wire.Explanation `json:"explain,omitempty"`
			bill
		}{bill: billOf(a.Bill), Label: label.String(), Nearest: nearestOf(a.Nearest), Degraded: append([]string{}, a.Degraded...), Incomplete: a.Incomplete, Explain: wire.ExplanationOf(a.Explanation)}
		if a.NoWords {
			tail.Reason = string(api.NoWords)
		}
		if r.MaxTokens > 0 {
			tail.Tokens = &a.Tokens
		}
		tail.Next, err = s.searcher.NextCursor(a, 0)
		return tail, err
	})
}

// location returns the URL of an entry.
func location(p memory.Path) string {
	at := "/v1/stores/" + url.PathEscape(p.Store) + "/memories/" + url.PathEscape(p.Key)
	if p.Namespace != "" {
		at += "?namespace=" + url.QueryEscape(p.Namespace)
	}
	return at
}

// reply is a response with an encoded body. The calls that return one entry use
// it.
type reply struct {
	status   int
	body     []byte
	etag     string // without quotes; "": none
	location string
}

func (r reply) write(w http.ResponseWriter) error {
	h := w.Header()
	if r.etag != "" {
		h.Set("ETag", quote(r.etag))
	}
	if r.location != "" {
		h.Set("Location", r.location)
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
func (r reply) VisitRestoreMemoryResponse(w http.ResponseWriter) error { return r.write(w) }
func (r reply) VisitRenameMemoryResponse(w http.ResponseWriter) error  { return r.write(w) }

// streamed is a response of many values, which are read while it is written: it
// holds a batch of them at a time, however slowly the client reads.
type streamed struct {
	timing string // Server-Timing; "": none
	header http.Header
	encode func(io.Writer) error
}

func (r streamed) write(w http.ResponseWriter) error {
	if r.timing != "" {
		w.Header().Set("Server-Timing", r.timing)
	}
	for name, values := range r.header {
		w.Header()[name] = values
	}
	return wire.Stream(w, r.encode)
}

func (r streamed) VisitListMemoriesResponse(w http.ResponseWriter) error { return r.write(w) }
func (r streamed) VisitListVersionsResponse(w http.ResponseWriter) error { return r.write(w) }
func (r streamed) VisitListTrashResponse(w http.ResponseWriter) error    { return r.write(w) }
func (r streamed) VisitSearchResponse(w http.ResponseWriter) error       { return r.write(w) }
