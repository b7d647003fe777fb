package rest

import (
	"io"
	"net/http"
	"net/url"

	"mneme/memory"
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
// wait=indexed and similar=true; similar is nil if it is unknown or was not requested.
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

// similarOf returns the entries that are similar to a written one; nil if they are
// unknown.
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
// encoded while they are written, followed by the cursor that each
// returns.
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

// location returns the URL of an entry.
func location(p memory.Path) string {
	at := "/v1/stores/" + url.PathEscape(p.Store) + "/memories/" + url.PathEscape(p.Key)
	if p.Namespace != "" {
		at += "?namespace=" + url.QueryEscape(p.Namespace)
	}
	return at
}

// reply is a response with an encoded body, for calls that return one entry.
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
// buffers one batch at a time, however slowly the client reads.
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
