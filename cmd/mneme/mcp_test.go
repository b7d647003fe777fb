package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/acl"
	"mneme/internal/system"
	"mneme/server/tool"
	"mneme/test/faulttest"
	"mneme/test/wait"
)

// stdio starts mneme mcp like MCP clients, and connects to it.
func stdio(t *testing.T, args ...string) (*mcp.ClientSession, *bytes.Buffer) {
	t.Helper()
	process := exec.Command(binary, append([]string{"mcp"}, args...)...)
	log := new(bytes.Buffer)
	process.Stderr = log
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: process, TerminateDuration: 4 * time.Minute}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil || process.ProcessState.ExitCode() != exitDone {
			t.Errorf("%v, %v\n%s", err, process.ProcessState, log)
		}
	})
	return session, log
}

func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) (string, bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// toolsOf returns how many tools families have.
func toolsOf(families ...tool.Family) (n int) {
	for _, d := range tool.New(nil, tool.Options{}).Definitions(acl.Principal{}) {
		if slices.Contains(families, d.Family) {
			n++
		}
	}
	return n
}

func TestMCPOverStdioWorksLocallyAndThroughAServer(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	local, _ := stdio(t, "--agent", "me", "--data-dir", s.dir)
	remote, _ := stdio(t, "--agent", "me", "--data-dir", s.dir, "--url", s.address)
	if text, failed := callTool(t, local, "UpdateUserMemory", map[string]any{
		"action": "upsert", "name": "tea", "type": "user", "description": "green tea", "body": "I like my tea green, and never after five.",
	}); failed {
		t.Fatal(text)
	}
	for name, session := range map[string]*mcp.ClientSession{"local": local, "remote": remote} {
		text, failed := callTool(t, session, "memory", map[string]any{"command": "view", "path": "/memories/tea"})
		if failed || text != "Here's the content of /memories/tea with line numbers:\n     1\tI like my tea green, and never after five." {
			t.Errorf("%s: %s", name, text)
		}
		if text, failed := callTool(t, session, "memory", map[string]any{"command": "view", "path": "/etc"}); !failed || text != "Path must start with /memories, got: /etc" {
			t.Errorf("%s: %s", name, text)
		}
		index, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "mneme://self/MEMORY.md"})
		if err != nil || !strings.HasPrefix(index.Contents[0].Text, "- [tea](tea.md) — green tea (20") {
			t.Errorf("%s: %+v, %v", name, index, err)
		}
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_get", Arguments: map[string]any{"key": "tea"}})
		if structured, ok := got.StructuredContent.(map[string]any); err != nil || !ok || structured["found"] != true {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if text, failed := callTool(t, session, "memory_list", map[string]any{"tag": "none"}); failed || text != "No memories found." {
			t.Errorf("%s: %s", name, text)
		}
		if _, failed := callTool(t, session, "kv_get", map[string]any{"key": "tea"}); failed {
			t.Errorf("%s: kv_get cannot be called", name)
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != toolsOf(tool.FamilyTriggerfish) {
			t.Errorf("%s: %+v, %v", name, tools, err)
		}
		for _, one := range tools.Tools {
			if strings.Contains(one.Description, "unshare") || one.Annotations == nil || one.Title == "" {
				t.Errorf("%s: %+v", name, one)
			}
		}
	}
	// Either the server's worker or the command's own embeds the entry.
	wait.Until(t, "the entry is found by its meaning", func() error {
		text, failed := callTool(t, remote, "memory_search", map[string]any{"query": "what do I drink in the afternoon?"})
		if failed || !strings.Contains(text, `"key":"tea"`) {
			return fmt.Errorf("the search answers %s", text)
		}
		return nil
	})
	for _, through := range [][]string{nil, {"--url", s.address}} {
		some, _ := stdio(t, append([]string{"--agent", "me", "--data-dir", s.dir, "--tools", "memory,maestro"}, through...)...)
		if tools, err := some.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != toolsOf(tool.FamilyMemory, tool.FamilyMAESTRO) {
			t.Errorf("%v: %+v, %v", through, tools, err)
		}
		if _, failed := callTool(t, some, "memory_get", map[string]any{"key": "tea"}); failed {
			t.Errorf("%v: what is not listed cannot be called", through)
		}
	}
	shared, _ := stdio(t, "--agent", "me", "--data-dir", s.dir, "--share", "--url", s.address)
	if text, failed := callTool(t, shared, "memory", map[string]any{"command": "share", "agent": "you"}); failed {
		t.Error(text)
	}
	you, _ := stdio(t, "--agent", "you", "--data-dir", s.dir)
	if text, failed := callTool(t, you, "memory", map[string]any{"command": "view", "path": "/memories/shared/me/tea"}); failed {
		t.Error(text)
	}
}

func TestARefusedIndexSaysWhyLocallyAndThroughAServer(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	token := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "me"))
	if status, body := s.call(token, http.MethodPut, "/v1/agents/me/settings", `{"enabled": true, "self": false, "chat": true, "user": true}`); status != http.StatusOK {
		t.Fatalf("status %d, %s", status, body)
	}
	for name, through := range map[string][]string{"local": nil, "remote": {"--url", s.address}} {
		session, _ := stdio(t, append([]string{"--agent", "me", "--data-dir", s.dir}, through...)...)
		_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "mneme://self/MEMORY.md"})
		if err == nil || !strings.HasSuffix(err.Error(), acl.ErrDenied.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConfigurationEnablesToolFamilies(t *testing.T) {
	t.Setenv("MNEME_TOOLS_MEMORY", "false")
	t.Setenv("MNEME_TOOLS_KV", "false")
	t.Setenv("MNEME_TOOLS_LISTED", "all")
	session, _ := stdio(t, "--agent", "me", "--data-dir", t.TempDir())
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != toolsOf(tool.FamilyTriggerfish, tool.FamilyMAESTRO) {
		t.Errorf("%d tools, %v", len(tools.Tools), err)
	}
}

func TestServerOffersToolsOverRESTAndMCP(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	token := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "me"))
	if status, body := s.call(token, http.MethodPost, "/v1/tools/memory_save", `{"key": "tea", "content": "green"}`); status != http.StatusOK {
		t.Errorf("status %d, %s", status, body)
	}
	if status, body := s.call(token, http.MethodGet, "/v1/tools", ""); status != http.StatusOK || !strings.Contains(body, `"memory_save"`) {
		t.Errorf("status %d, %s", status, body)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.address + "/mcp", DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: withToken(token)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if text, failed := callTool(t, session, "memory_get", map[string]any{"key": "tea"}); failed || !strings.Contains(text, `"content":"green"`) {
		t.Error(text)
	}
}

// withToken sends a token with every request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

// mcpHere runs mneme mcp in this process and connects to it.
func mcpHere(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan int, 1)
	log := new(bytes.Buffer)
	go func() {
		ended <- run(context.WithoutCancel(t.Context()), append([]string{"mcp"}, args...), fromClient, toClient, log)
		toClient.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		toServer.Close()
		if status := wait.For(t, "mneme mcp ends", ended); status != exitDone {
			t.Errorf("status %d\n%s", status, log)
		}
	})
	return session
}

// mneme mcp answers although another process holds a lock on the database, which the test
// releases only after the answer.
func TestMCPAnswersWhileAnotherProcessHoldsALock(t *testing.T) {
	defer func(wait time.Duration) { callWait = wait }(callWait)
	callWait = 50 * time.Millisecond
	check := func(t *testing.T, dir, says string, release func() error) {
		session := mcpHere(t, "--agent", "new", "--data-dir", dir)
		if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
			t.Fatalf("%+v, %v", tools, err)
		}
		wait.Until(t, "a call says what is waited for", func() error {
			if text, failed := callTool(t, session, "memory_list", map[string]any{}); !failed || !strings.Contains(text, says) {
				return fmt.Errorf("%t %s", failed, text)
			}
			return nil
		})
		if err := release(); err != nil {
			t.Fatal(err)
		}
		wait.Until(t, "a call succeeds", func() error {
			if text, failed := callTool(t, session, "memory_list", map[string]any{}); failed {
				return errors.New(text)
			}
			return nil
		})
	}
	t.Run("while it opens the database", func(t *testing.T) {
		dir := t.TempDir()
		unlock, err := system.Lock(filepath.Join(dir, "mneme.db.lock"))
		if err != nil {
			t.Fatal(err)
		}
		check(t, dir, "another process is opening the database, since ", unlock)
	})
	t.Run("while it writes", func(t *testing.T) {
		dir := t.TempDir()
		must(t, dir, "", "put", "--agent", "me", "tea", "green")
		db := open(t, "sqlite", filepath.Join(dir, "mneme.db"))
		db.SetMaxOpenConns(1)
		if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		check(t, dir, "another process is writing to the database, since ", func() error {
			_, err := db.ExecContext(t.Context(), "ROLLBACK")
			return err
		})
	})
}

func TestMCPStaysUpWithoutADatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mneme.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	session, log := stdio(t, "--agent", "me", "--data-dir", dir)
	if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	if text, failed := callTool(t, session, "memory_list", map[string]any{}); !failed || !strings.Contains(text, "damaged") {
		t.Errorf("%t %s\n%s", failed, text, log)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the next call opens it", func() error {
		if text, failed := callTool(t, session, "memory_list", map[string]any{}); failed {
			return errors.New(text)
		}
		return nil
	})
}

// Without a valid token, mneme mcp keeps running, and its tools report the error: a client
// shows why a tool failed, but not why its server exited.
func TestMCPStaysUpWithoutAValidToken(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	other := t.TempDir() // a folder with another key
	session, _ := stdio(t, "--agent", "me", "--data-dir", other, "--url", s.address)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) == 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	for _, name := range []string{"memory_list", "memory_get"} {
		text, failed := callTool(t, session, name, map[string]any{"key": "tea"})
		if !failed || !strings.Contains(text, "the token is not valid") || !strings.Contains(text, "mneme token") {
			t.Errorf("%s: %t %s", name, failed, text)
		}
	}
	silent, err := faulttest.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	accepts, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer accepts.Close()
	stdio(t, "--agent", "me", "--data-dir", other, "--url", "http://"+accepts.Addr().String())
	nobody, _ := stdio(t, "--agent", "me", "--data-dir", other, "--url", "http://"+silent)
	if text, failed := callTool(t, nobody, "memory_list", map[string]any{}); !failed || !strings.Contains(text, "refused") {
		t.Errorf("%t %s", failed, text)
	}
}
