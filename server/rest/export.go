package rest

import (
	"bufio"
	"context"
	"net/http"

	"mneme/memory"
	"mneme/server/wire"
)

// ExportMemories reads all entries of a store. The service judges access
// when the answer is written.
func (s *Surface) ExportMemories(ctx context.Context, r ExportMemoriesRequestObject) (ExportMemoriesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	return export{ctx: ctx, surface: s, store: store}, nil
}

// export is an answer that is read while it is written.
type export struct {
	ctx     context.Context //nolint:containedctx // the generated interface has no argument for it
	surface *Surface
	store   string
}

// VisitExportMemoriesResponse writes the lines. Nothing is sent before the
// first of them is known, so that a refusal is a problem; an error after that
// breaks the connection off.
func (x export) VisitExportMemoriesResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", wire.ContentLines)
	out := bufio.NewWriterSize(w, 64<<10)
	none := true
	err := x.surface.service.Export(x.ctx, caller(x.ctx), x.store, func(found memory.Found) error {
		text, err := encodeEntry(&found.Entry)
		if err != nil {
			return err
		}
		none = false
		_, err = out.Write(append(oneLine(text), '\n'))
		return err
	})
	if err != nil {
		return err
	}
	if none {
		w.WriteHeader(http.StatusOK)
	}
	return out.Flush()
}

// oneLine takes the line breaks out of a JSON text. They can only be white
// space between its tokens.
func oneLine(text []byte) []byte {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}
