package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"mneme/clients/go/api"
)

// contentLines is the media type of NDJSON.
const contentLines = "application/x-ndjson"

// ErrCutShort reports an incomplete export: the caller lost access, or the server
// or the connection failed. The entries yielded before it are valid.
var ErrCutShort = errors.New("the export is incomplete or cannot be read")

// Export yields all entries of a store that the caller can list, or those that
// match params, as they arrive. params may be nil. The iteration ends at the first
// error.
func (c *Client) Export(ctx context.Context, store string, params *api.ExportMemoriesParams) iter.Seq2[api.Entry, error] {
	return func(yield func(api.Entry, error) bool) {
		body, err := c.ExportLines(ctx, store, params)
		if err != nil {
			yield(api.Entry{}, err)
			return
		}
		defer body.Close()
		lines := json.NewDecoder(body)
		for {
			var e api.Entry
			switch err := lines.Decode(&e); {
			case errors.Is(err, io.EOF):
				return
			case err != nil && ctx.Err() != nil:
				yield(api.Entry{}, ctx.Err())
				return
			case err != nil:
				yield(api.Entry{}, ErrCutShort)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ExportLines returns an export as NDJSON, one Entry per line. The caller closes
// it. An error of Read other than io.EOF means that the export is incomplete.
func (c *Client) ExportLines(ctx context.Context, store string, params *api.ExportMemoriesParams) (io.ReadCloser, error) {
	if err := checkSegments(store); err != nil {
		return nil, err
	}
	if params == nil {
		params = &api.ExportMemoriesParams{}
	}
	response, err := c.ExportMemories(ctx, store, params)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// Import writes entries, each like a Put, and returns the outcomes. It sends each
// entry when lines yields it. Values are sent byte for byte, except for line breaks
// between tokens. An error of lines ends the request and is returned; the lines
// before it may have been written.
func (c *Client) Import(ctx context.Context, store string, lines iter.Seq2[api.ImportLine, error]) (api.ImportResult, error) {
	body, in := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := writeLines(in, lines)
		written <- err
		in.CloseWithError(err) // nil is io.EOF
	}()
	result, err := c.ImportLines(ctx, store, body)
	_ = body.Close() // never fails; stops the writer if the server did not read all lines
	if cause := <-written; cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
		return result, cause
	}
	return result, err
}

// ImportLines writes the entries of an NDJSON stream, one ImportLine per line.
func (c *Client) ImportLines(ctx context.Context, store string, lines io.Reader) (api.ImportResult, error) {
	if err := checkSegments(store); err != nil {
		return api.ImportResult{}, err
	}
	return Decode[api.ImportResult](c.ImportMemoriesWithBody(ctx, store, &api.ImportMemoriesParams{}, contentLines, lines))
}

func writeLines(to io.Writer, lines iter.Seq2[api.ImportLine, error]) error {
	for line, err := range lines {
		if err != nil {
			return err
		}
		text, err := encodeLine(line)
		if err != nil {
			return err
		}
		if _, err := to.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// encodeLine returns the line as JSON with a line break.
func encodeLine(line api.ImportLine) ([]byte, error) {
	text, err := withValue(struct {
		api.ImportLine
		Value *struct{} `json:"value,omitempty"`
	}{ImportLine: line}, line.Value)
	if err != nil {
		return nil, err
	}
	for i, c := range text { // JSON has line breaks only between tokens
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return append(text, '\n'), nil
}
