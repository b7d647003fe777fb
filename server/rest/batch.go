package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"mneme/memory"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// BatchMemories performs several puts, gets and deletes.
func (s *Surface) BatchMemories(ctx context.Context, r api.BatchMemoriesRequestObject) (api.BatchMemoriesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	if err := server.Charge(ctx, len(r.Body.Items)-1); err != nil { // the request counted as one
		return nil, err
	}
	request := memory.BatchRequest{
		Store: store, Items: make([]memory.BatchItem, len(r.Body.Items)), Atomic: or(r.Body.Atomic, false),
	}
	for i := range r.Body.Items {
		if request.Items[i], err = batchItem(i, &r.Body.Items[i]); err != nil {
			return nil, err
		}
	}
	request.Idempotency, err = s.replay(r.Params.IdempotencyKey, "POST /v1/stores/{store}/memories:batch", []string{store}, r.Body)
	if err != nil {
		return nil, err
	}
	outcomes, err := s.service.Batch(ctx, caller(ctx), request)
	if err != nil {
		return nil, err
	}
	return streamed{encode: func(w io.Writer) error {
		return wire.List(w, "outcomes", func(item func([]byte) error) (any, error) {
			for i := range outcomes {
				text, err := encodeOutcome(&request.Items[i], &outcomes[i])
				if err != nil {
					return nil, err
				}
				if err := item(text); err != nil {
					return nil, err
				}
				outcomes[i] = memory.BatchOutcome{} // release it: it is written, and may be large
			}
			return struct{}{}, nil
		})
	}}, nil
}

// batchItem translates an item. Members of other operations make an item
// malformed, like unknown members.
func batchItem(i int, b *api.BatchItem) (memory.BatchItem, error) {
	malformed := func(field, detail string) (memory.BatchItem, error) {
		return memory.BatchItem{}, problem.In(problem.Malformed, fmt.Sprintf("items[%d].%s", i, field), detail)
	}
	item := memory.BatchItem{PutRequest: memory.PutRequest{
		Path:  memory.Path{Namespace: or(b.Namespace, ""), Key: b.Key},
		Value: b.Value, Type: b.Type, Description: b.Description, Tags: b.Tags,
		InContext: b.InContext, Encrypted: b.Encrypted, TTL: duration(b.Ttl), OccurredAt: b.OccurredAt, Timezone: or(b.Timezone, ""),
		Source: or(b.Source, nil),
	}}
	switch b.Op {
	case api.OpPut:
		item.Op = memory.BatchPut
		if b.Value == nil {
			return malformed("value", "is missing")
		}
	case api.OpGet:
		item.Op = memory.BatchGet
	case api.OpDelete:
		item.Op = memory.BatchDelete
	default:
		return malformed("op", "must be put, get or delete")
	}
	for _, of := range []struct {
		field string
		given bool
		ops   []memory.BatchOp
	}{
		{"if_match", b.IfMatch != nil, []memory.BatchOp{memory.BatchPut, memory.BatchDelete}},
		{"value", b.Value != nil, []memory.BatchOp{memory.BatchPut}},
		{"type", b.Type != nil, []memory.BatchOp{memory.BatchPut}},
		{"description", b.Description != nil, []memory.BatchOp{memory.BatchPut}},
		{"tags", b.Tags != nil, []memory.BatchOp{memory.BatchPut}},
		{"in_context", b.InContext != nil, []memory.BatchOp{memory.BatchPut}},
		{"encrypted", b.Encrypted != nil, []memory.BatchOp{memory.BatchPut}},
		{"ttl", b.Ttl != nil, []memory.BatchOp{memory.BatchPut}},
		{"occurred_at", b.OccurredAt != nil, []memory.BatchOp{memory.BatchPut}},
		{"timezone", b.Timezone != nil, []memory.BatchOp{memory.BatchPut}},
		{"source", b.Source != nil, []memory.BatchOp{memory.BatchPut}},
	} {
		if of.given && !slices.Contains(of.ops, item.Op) {
			return malformed(of.field, "does not belong to this op")
		}
	}
	if _, err := conditions(b.IfMatch, nil); err != nil {
		return malformed("if_match", "must be * or a list of quoted entity tags")
	}
	var err error
	if item.If, err = conditions(b.IfMatch, b.IfNoneMatch); err != nil {
		return malformed("if_none_match", "must be * or a list of quoted entity tags")
	}
	return item, nil
}

// encodeOutcome encodes the answer that a single call for the item would have
// had.
func encodeOutcome(item *memory.BatchItem, o *memory.BatchOutcome) ([]byte, error) {
	if o.Err != nil {
		return wire.Marshal(api.BatchOutcome{Status: problem.From(o.Err).Status, Problem: batchProblem(o.Err)})
	}
	if item.Op == memory.BatchDelete {
		return wire.Marshal(api.BatchOutcome{Status: http.StatusNoContent})
	}
	out := api.BatchOutcome{Status: http.StatusOK, Etag: new(quote(o.ETag))}
	if o.Created {
		out.Status = http.StatusCreated
	}
	if item.Op == memory.BatchGet && (slices.Contains(item.If.NoneMatch, "*") || slices.Contains(item.If.NoneMatch, o.ETag)) {
		out.Status = http.StatusNotModified
		return wire.Marshal(out)
	}
	entry, err := encodeEntry(&o.Entry)
	if err != nil {
		return nil, err
	}
	head, err := wire.Marshal(out)
	if err != nil {
		return nil, err
	}
	head = append(head[:len(head)-1], `,"entry":`...)
	return append(append(head, entry...), '}'), nil
}

// batchProblem returns the problem of one item.
func batchProblem(err error) *api.BatchProblem {
	p := problem.From(err)
	out := api.BatchProblem{Type: p.Type(), Title: p.Title, Status: p.Status}
	for into, text := range map[**string]string{&out.Detail: p.Detail, &out.Field: p.Field, &out.Limit: p.Limit} {
		if text != "" {
			*into = &text
		}
	}
	if p.RetryAfter > 0 {
		out.RetryAfter = new(int((p.RetryAfter + time.Second - 1) / time.Second))
	}
	return &out
}

func (r streamed) VisitBatchMemoriesResponse(w http.ResponseWriter) error { return r.write(w) }
