package toolproxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/acl"
	"mneme/cmd/mneme/toolproxy"
	"mneme/memory"
	"mneme/meter"
	"mneme/server/mcp"
	"mneme/server/tool"
	"mneme/test/wait"
)

// ready are tools whose every call succeeds.
type ready struct{ *tool.Tools }

func (ready) Pay(context.Context, acl.Principal, string, json.RawMessage, *meter.Payment) (tool.Result, error) {
	return tool.Result{Text: "done"}, nil
}

func (ready) Index(context.Context, acl.Principal, string) (string, error) { return "index", nil }

// serveLate serves tools, opened by open, to a client and connects it.
func serveLate(t *testing.T, waits time.Duration, open func(context.Context, *tool.Tools) (mcp.Tools, error)) *sdk.ClientSession {
	t.Helper()
	known := tool.New(nil, tool.Options{ValueLimit: 1000})
	p := acl.Principal{Agent: "me", Taint: acl.Public}
	late := toolproxy.NewLate(known, waits, slog.New(slog.DiscardHandler), func(ctx context.Context) (mcp.Tools, error) { return open(ctx, known) })
	late.Start()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- mcp.ServeStream(context.WithoutCancel(t.Context()), mcp.NewServer(late, p, "1"), late.MaxInput(), fromClient, toClient)
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		toServer.Close()
		if err := wait.For(t, "the server ends", served); err != nil {
			t.Error(err)
		}
		late.Close()
	})
	return session
}

// call returns the text of a tool's answer, and whether it is an error.
func call(t *testing.T, session *sdk.ClientSession) (string, bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_list", Arguments: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

func TestAClientIsAnsweredWhileTheDatabaseOpens(t *testing.T) {
	reported, finish := make(chan struct{}), make(chan struct{})
	session := serveLate(t, time.Millisecond, func(ctx context.Context, known *tool.Tools) (mcp.Tools, error) {
		memory.ReportProgress(ctx, "analyzing its texts again, 12000 of 30000 entries")
		close(reported)
		select {
		case <-finish:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return ready{known}, nil
	})
	if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	wait.For(t, "progress", reported)
	if text, failed := call(t, session); !failed || !strings.Contains(text, "the database is being opened") || !strings.Contains(text, "12000 of 30000 entries") {
		t.Errorf("%t %s", failed, text)
	}
	_, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://self/MEMORY.md"})
	if err == nil || !strings.Contains(err.Error(), "12000 of 30000 entries") {
		t.Error(err)
	}
	close(finish)
	wait.Until(t, "a call succeeds", func() error {
		if text, failed := call(t, session); failed {
			return errors.New(text)
		}
		return nil
	})
}

func TestACallWaitsForADatabaseThatOpensSoon(t *testing.T) {
	finish := make(chan struct{})
	session := serveLate(t, wait.Limit, func(_ context.Context, known *tool.Tools) (mcp.Tools, error) {
		<-finish
		return ready{known}, nil
	})
	close(finish)
	if text, failed := call(t, session); failed || text != "done" {
		t.Errorf("%t %s", failed, text)
	}
}

func TestACallThatWaitsCanBeCancelled(t *testing.T) {
	session := serveLate(t, wait.Limit, func(ctx context.Context, _ *tool.Tools) (mcp.Tools, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "memory_list"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTheNextCallTriesADatabaseAgainThatDidNotOpen(t *testing.T) {
	attempts := make(chan error, 3)
	attempts <- errors.New("the disk is full")
	attempts <- errors.New("the disk is still full")
	attempts <- nil
	session := serveLate(t, wait.Limit, func(_ context.Context, known *tool.Tools) (mcp.Tools, error) {
		if err := <-attempts; err != nil {
			return nil, err
		}
		return ready{known}, nil
	})
	if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	failures := 0
	for range 3 { // the first call may join the first attempt, or follow it
		text, failed := call(t, session)
		if !failed {
			break
		}
		failures++
		if !strings.Contains(text, "full") || !strings.Contains(text, "tries again") {
			t.Error(text)
		}
	}
	if text, failed := call(t, session); failed || failures == 0 {
		t.Errorf("%d failures, then %t %s", failures, failed, text)
	}
}
