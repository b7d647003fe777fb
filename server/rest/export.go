package rest

import (
	"bufio"
	"context"
	"net/http"

	"mneme/memory"
	"mneme/server"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// judgedEntries is the number of exported entries after which the token is verified
// again: a slow reader could outlive it.
const judgedEntries = 100

// ExportMemories reads all entries of a store. The service checks access while
// the answer is written.
func (s *Surface) ExportMemories(ctx context.Context, r api.ExportMemoriesRequestObject) (api.ExportMemoriesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	where, err := parseWhere(r.Params.Where)
	if err != nil {
		return nil, err
	}
	filter := memory.Filter{Where: where, Timezone: or(r.Params.Timezone, "")}
	if err := addMatch(&filter, r.Params.Match); err != nil {
		return nil, err
	}
	return export{ctx: ctx, surface: s, store: store, filter: filter}, nil
}

// export is a response that reads the entries while it is written.
type export struct {
	ctx     context.Context //nolint:containedctx // the generated interface has no parameter for it
	surface *Surface
	store   string
	filter  memory.Filter
}

// VisitExportMemoriesResponse writes the lines. It sends no bytes before the
// first buffer is full, so that a refusal can be a problem. A later error aborts
// the connection.
func (x export) VisitExportMemoriesResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", wire.ContentLines)
	out := bufio.NewWriterSize(w, 64<<10)
	entries := 0
	err := x.surface.service.Export(x.ctx, caller(x.ctx), x.store, x.filter, func(found memory.Found) error {
		if entries++; entries%judgedEntries == 0 {
			if _, err := server.Judge(x.ctx, true); err != nil {
				return err
			}
		}
		text, err := encodeEntry(&found.Entry)
		if err != nil {
			return err
		}
		_, err = out.Write(append(oneLine(text), '\n'))
		return err
	})
	if err != nil {
		return err
	}
	if entries == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return out.Flush()
}

// oneLine replaces the line breaks of a JSON text, which are white space between
// its tokens, with spaces.
func oneLine(text []byte) []byte {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}
