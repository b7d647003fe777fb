package attacks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mneme/test/size"
	"mneme/test/wait"
)

// byWords configures an unavailable embedder: searches are lexical at once, and
// embedding takes no processor time.
func byWords() option {
	return environment("MNEME_EMBEDDER=openai", "MNEME_OPENAI_BASE_URL=http://127.0.0.1:9/v1", "MNEME_OPENAI_MODEL=m", "MNEME_OPENAI_DIM=8",
		"MNEME_SEARCH_VECTOR_BUDGET=50ms")
}

// hoardBytes is slightly below the maximum length of a value.
const hoardBytes = 95_000

// hoard writes 100 entries of the given length that all match one question.
func (c caller) hoard(t testing.TB, bytes int) {
	t.Helper()
	const sentence = "Its stone is coarse, and the face is worked from the north. "
	for i := range 100 {
		value := fmt.Sprintf("Quarry %d of the granite survey. ", i) + strings.Repeat(sentence, bytes/len(sentence))
		c.call(http.MethodPut, fmt.Sprintf("%sk%02d", memories, i), map[string]any{"value": value}).want(t, http.StatusCreated)
	}
}

// mcpSearch returns an MCP call that searches for all entries of hoard.
func mcpSearch(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"granite survey","max_results":100,"max_tokens":1000000}}}`, id)
}

var mcpHeaders = []string{"Accept", "application/json, text/event-stream"}

// Regression test: one request of 40 searches for all of an agent's entries took
// 8 GB.
func TestABatchOfSearchesTakesTheMemoryOfOne(t *testing.T) {
	t.Parallel()
	s := start(t, byWords())
	alice := s.as("alice")
	alice.hoard(t, size.Of(hoardBytes/4, hoardBytes))
	batch := func(n int) reply {
		var calls []string
		for i := range n {
			calls = append(calls, mcpSearch(i+1))
		}
		return alice.call(http.MethodPost, "/mcp", "["+strings.Join(calls, ",")+"]", mcpHeaders...)
	}
	// The first answers fill caches and buffers.
	batch(2).want(t, http.StatusOK)
	_, before := s.memory()

	refused := decode[struct {
		Error struct {
			Code    int
			Message string
		}
	}](t, batch(17).want(t, http.StatusBadRequest))
	if refused.Error.Code != -32600 || refused.Error.Message != "a batch must have at most 16 messages" {
		t.Errorf("the error is %+v", refused)
	}
	answered := batch(16).want(t, http.StatusOK)
	answers := decode[[]struct {
		Result struct{ Content []struct{ Text string } }
	}](t, answered)
	if len(answers) != 16 {
		t.Fatalf("%d answers", len(answers))
	}
	for _, a := range answers {
		if n := len(a.Result.Content[0].Text); n > 64_000 || n < 30_000 {
			t.Errorf("an answer has %d bytes of text", n)
		}
	}
	_, after := s.memory()
	t.Logf("16 searches answer %d bytes; the peak of memory rose from %d to %d MB", len(answered.body), before>>20, after>>20)
	if after-before > int64(size.Of(32, 64))<<20 {
		t.Errorf("the batch took %d MB", (after-before)>>20)
	}
	if len(answered.body) > 16*3*64_000 {
		t.Errorf("the batch answers %d bytes", len(answered.body))
	}
}

// Regression test: a tool's search returned 3.6 MB to the model.
func TestAToolAnswersNoMoreThanAModelCanRead(t *testing.T) {
	t.Parallel()
	s := start(t, byWords())
	alice := s.as("alice")
	alice.hoard(t, size.Of(hoardBytes/8, hoardBytes))
	long := strings.Repeat("The granite of this quarry is sold by the cart. ", hoardBytes/48)
	alice.put("k07", long).want(t, http.StatusOK)
	for path, arguments := range map[string]map[string]any{
		"memory_search": {"query": "granite survey", "max_results": 100, "max_tokens": 1_000_000},
		"memory":        {"command": "search", "query": "granite survey", "limit": 100, "max_tokens": 1_000_000},
	} {
		answer := decode[struct{ Content string }](t, alice.call(http.MethodPost, "/v1/tools/"+path, arguments).want(t, http.StatusOK))
		found := decode[struct {
			Results []struct{ Truncated bool }
			LeftOut int `json:"left_out"`
		}](t, reply{body: []byte(answer.Content)})
		if len(answer.Content) > 64_000 || len(found.Results) < 10 || len(found.Results)+found.LeftOut != 100 {
			t.Errorf("%s: %d bytes, %d hits, %d left out", path, len(answer.Content), len(found.Results), found.LeftOut)
		}
		for i, hit := range found.Results {
			if !hit.Truncated {
				t.Errorf("%s: hit %d is not marked as truncated", path, i)
			}
		}
	}
	var whole strings.Builder
	for offset := 0; ; {
		answer := decode[struct{ Content string }](t, alice.call(http.MethodPost, "/v1/tools/memory_get", map[string]any{"key": "k07", "offset": offset}).want(t, http.StatusOK))
		part := decode[struct {
			Content    string
			NextOffset int `json:"next_offset"`
		}](t, reply{body: []byte(answer.Content)})
		if len(answer.Content) > 64_000 {
			t.Fatalf("memory_get answers %d bytes", len(answer.Content))
		}
		whole.WriteString(part.Content)
		if offset = part.NextOffset; offset == 0 {
			break
		}
	}
	got := decode[struct{ Value string }](t, alice.call(http.MethodGet, memories+"k07", nil).want(t, http.StatusOK))
	if whole.String() != got.Value {
		t.Errorf("the parts have %d bytes, the value %d", whole.Len(), len(got.Value))
	}
}

// Slow clients must not make the server keep their answers in memory, or occupy its
// database connections: others read and write in the meantime.
func TestSlowClientsKeepNoAnswersInMemory(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, byWords(), environment("MNEME_CONNECTIONS_STALL_TIMEOUT=10m")) // the test reads the first answers when all have begun
		alice := s.as("alice")
		alice.hoard(t, hoardBytes)
		ask := func(method, path, body string) *connection {
			c := s.dial()
			if err := c.Conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
				t.Fatal(err)
			}
			request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, alice.token, len(body), body)
			if err := c.send(request); err != nil {
				t.Fatal(err)
			}
			return c
		}
		requests := [][3]string{
			{http.MethodPost, "/v1/search", `{"query":"granite survey","limit":100}`},
			{http.MethodGet, "/v1/stores/self/memories?limit=100", ""},
		}
		for _, r := range requests { // fills caches and buffers
			if got := ask(r[0], r[1], r[2]).response(); got.status != http.StatusOK || len(got.body) < 9_000_000 {
				t.Fatalf("%s answers %d with %d bytes", r[1], got.status, len(got.body))
			}
		}
		_, before := s.memory()
		var slow []*connection
		for i := range size.Of(8, 12) {
			r := requests[i%2]
			c := ask(r[0], r[1], r[2])
			if _, err := c.reader.Peek(1000); err != nil { // the answer has begun
				t.Fatal(err)
			}
			slow = append(slow, c)
		}
		_, after := s.memory()
		t.Logf("%d slow clients read 9.5 MB each: the peak of memory rose from %d to %d MB", len(slow), before>>20, after>>20)
		if after-before > int64(size.Of(48, 64))<<20 {
			t.Errorf("slow clients make the server keep %d MB", (after-before)>>20)
		}
		alice.put("k00", "Changed meanwhile.").want(t, http.StatusOK)
		alice.search("granite survey", "limit", 1).want(t, http.StatusOK)
		var readers sync.WaitGroup
		for i, c := range slow {
			readers.Go(func() {
				if got := c.response(); got.err != nil || got.status != http.StatusOK || !json.Valid(got.body) {
					t.Errorf("reader %d: status %d, %d bytes, %v", i, got.status, len(got.body), got.err)
				}
			})
		}
		readers.Wait()
	})
}

// stuck is an embedder that accepts requests and never answers.
type stuck struct {
	address string
	asked   chan net.Conn // connections with a request
}

func startStuck(t testing.TB) *stuck {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	e := &stuck{address: listener.Addr().String(), asked: make(chan net.Conn, 64)}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				if _, err := bufio.NewReader(conn).Peek(1); err == nil {
					e.asked <- conn
				}
			}()
		}
	}()
	return e
}

func (e *stuck) option() option {
	return environment("MNEME_EMBEDDER=openai", "MNEME_OPENAI_BASE_URL=http://"+e.address+"/v1", "MNEME_OPENAI_MODEL=m", "MNEME_OPENAI_DIM=8",
		"MNEME_OPENAI_TIMEOUT=10m", "MNEME_SEARCH_VECTOR_BUDGET=10m")
}

// question waits for a request, and returns a channel that is closed when mneme
// abandons the request.
func (e *stuck) question(t testing.TB) <-chan struct{} {
	t.Helper()
	conn := wait.For(t, "the embedder is asked", e.asked)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}()
	return gone
}

// mcpCancel returns the MCP notification that cancels a call.
func mcpCancel(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

// If a client cancels a search, the server also cancels its request to the embedder,
// and sends no answer. The embedder sees the end of a call before the server has
// forgotten the call's ID, so each call has its own ID, as the protocol requires.
func TestACancelledSearchIsStoppedAndNotAnswered(t *testing.T) {
	t.Parallel()
	t.Run("http", func(t *testing.T) {
		embedder := startStuck(t)
		s := start(t, embedder.option())
		alice := s.as("alice")
		id := 0
		for name, format := range map[string]string{"a call": "%s", "a batch": "[%s]"} {
			id++
			body := fmt.Sprintf(format, mcpSearch(id))
			answer := make(chan reply, 1)
			go func() { answer <- alice.call(http.MethodPost, "/mcp", body, mcpHeaders...) }()
			gone := embedder.question(t)
			alice.call(http.MethodPost, "/mcp", mcpCancel(id), mcpHeaders...).want(t, http.StatusAccepted)
			wait.For(t, "the request of "+name+" ends", gone)
			if r := (<-answer).want(t, http.StatusAccepted); len(r.body) > 0 {
				t.Errorf("%s: %v", name, r)
			}

			id++
			body = fmt.Sprintf(format, mcpSearch(id))
			c := s.dial()
			if err := c.send(fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
				strings.TrimPrefix(s.Address, "http://"), alice.token, len(body), body)); err != nil {
				t.Fatal(err)
			}
			gone = embedder.question(t)
			c.Close()
			wait.For(t, "the request of "+name+" on a closed connection ends", gone)
		}
		ping := `{"jsonrpc":"2.0","id":100,"method":"ping"}`
		if r := alice.call(http.MethodPost, "/mcp", ping, mcpHeaders...).want(t, http.StatusOK); !strings.Contains(string(r.body), `"id":100`) {
			t.Errorf("the next call: %v", r)
		}
	})
	t.Run("stdio", func(t *testing.T) {
		embedder := startStuck(t)
		s := start(t, embedder.option()) // a data folder that the stdio program shares
		command := s.command("mcp", "--agent", "alice")
		in, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		say := func(line string) {
			t.Helper()
			if _, err := io.WriteString(in, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"id":0`) {
			t.Fatal(line, err)
		}
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for id := 1; id <= 3; id++ {
			say(mcpSearch(id))
			gone := embedder.question(t)
			say(mcpCancel(id))
			wait.For(t, "the request of a call ends", gone)
			// The next line answers the next call.
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+id))
			if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, fmt.Sprintf(`"id":%d`, 100+id)) {
				t.Errorf("after a cancelled call comes %q, %v", line, err)
			}
		}
		in.Close()
		rest, err := io.ReadAll(lines)
		if err != nil || len(rest) > 0 {
			t.Errorf("at the end comes %q, %v", rest, err)
		}
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
}
