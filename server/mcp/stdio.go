package mcp

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStream answers the messages of one client, a line each, until in ends
// or ctx does.
func ServeStream(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer) error {
	err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// unclosed keeps the client's stream open for whoever owns it.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
