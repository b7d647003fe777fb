package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mneme/acl"
	"mneme/server"
	"mneme/server/mcp"
	"mneme/server/servertest"
	"mneme/server/tool"
	"mneme/test/backendtest"
)

// harness is an MCP server over a fresh database.
type harness struct {
	*servertest.Server
	t     testing.TB
	tools *tool.Tools
	http  *httptest.Server
}

func open(t testing.TB, o mcp.Options) *harness {
	t.Helper()
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{})
	metrics := server.NewMetrics()
	h := &harness{t: t, tools: tool.New(f.Service, tool.Options{Market: f.Market, Meter: metrics})}
	o.Meter = metrics
	h.Server = servertest.Open(t, f.Clock.Now, server.Options{
		Service: f, Metrics: metrics, PublicURL: o.PublicURL != "",
		Surfaces: []server.Surface{mcp.NewSurface(h.tools.Over("mcp"), o), tool.NewSurface(h.tools.Over("http"))},
	})
	h.http = httptest.NewServer(h.Server)
	t.Cleanup(h.http.Close)
	return h
}

var (
	alice = acl.Principal{Agent: "alice", Taint: acl.Public}
	bob   = acl.Principal{Agent: "bob", Taint: acl.Public}
)

// bearer sends a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// client is the SDK's own client, as a principal.
func (h *harness) client(p acl.Principal) *sdk.ClientSession {
	h.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(h.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: h.http.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{h.Token(p)}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { session.Close() })
	return session
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// post sends one message with any headers.
func (h *harness) post(method, target, body string, header ...string) answer {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.http.URL+target, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

func call(t testing.TB, s *sdk.ClientSession, name string, arguments any) *sdk.CallToolResult {
	t.Helper()
	result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func textOf(t testing.TB, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents", len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text
}

func TestToolsAreTheSameOverMCP(t *testing.T) {
	h := open(t, mcp.Options{Version: "1.2.3"})
	for _, p := range []acl.Principal{alice, {Agent: "alice", Taint: acl.Public, Share: true}} {
		s := h.client(p)
		info := s.InitializeResult()
		if info.Instructions != tool.Instructions || info.ServerInfo.Name != "mneme" || info.ServerInfo.Version != "1.2.3" {
			t.Errorf("%+v", info)
		}
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]*sdk.Tool)
		for _, one := range list.Tools {
			got[one.Name] = one
		}
		want := slices.DeleteFunc(h.tools.Definitions(p), func(d tool.Definition) bool { return d.Unlisted })
		if len(got) != len(want) {
			t.Errorf("%d tools, want %d", len(got), len(want))
		}
		for _, d := range want {
			one := got[d.Name]
			if one == nil {
				t.Errorf("%s is not offered", d.Name)
				continue
			}
			a := one.Annotations
			if one.Description != d.Description || a == nil || a.ReadOnlyHint != d.ReadOnly || (a.DestructiveHint == nil) != d.ReadOnly ||
				!d.ReadOnly && (*a.DestructiveHint != d.Destructive || a.IdempotentHint != d.Idempotent) || a.OpenWorldHint == nil || *a.OpenWorldHint {
				t.Errorf("%+v %+v", one, a)
			}
			if !sameJSON(t, one.InputSchema, d.Input) || (d.Output != nil) != (one.OutputSchema != nil) || d.Output != nil && !sameJSON(t, one.OutputSchema, d.Output) {
				t.Errorf("%s has other schemas", d.Name)
			}
		}
	}
}

func TestToolsThatAreNotListedCanBeCalled(t *testing.T) {
	s := open(t, mcp.Options{}).client(alice)
	if set := call(t, s, "kv_set", map[string]any{"key": "k", "value": 1}); set.IsError {
		t.Error(textOf(t, set))
	}
	if got := textOf(t, call(t, s, "kv_get", map[string]any{"key": "k"})); got != `{"found":true,"key":"k","value":1}` {
		t.Error(got)
	}
}

func TestAnEmptyListOfMemoriesIsATextAndAnObject(t *testing.T) {
	s := open(t, mcp.Options{}).client(alice)
	got := call(t, s, "memory_list", nil)
	object, err := json.Marshal(got.StructuredContent)
	if err != nil || textOf(t, got) != "No memories found." || string(object) != `{"memories":[]}` {
		t.Errorf("%+v %s %v", got, object, err)
	}
}

func TestTheListOfToolsStaysShort(t *testing.T) {
	h := open(t, mcp.Options{})
	body := h.post(http.MethodPost, "/mcp", listTools, "Authorization", "Bearer "+h.Token(alice)).body
	if !strings.Contains(body, `"memory_search"`) || len(body) >= tool.MaxList {
		t.Errorf("%d bytes, want less than %d", len(body), tool.MaxList)
	}
}

// The endpoint's query selects the families of a client's list, in a batch too.
func TestAClientChoosesFamilies(t *testing.T) {
	h := open(t, mcp.Options{})
	sharer := alice
	sharer.Share = true
	for _, c := range []struct {
		p        acl.Principal
		query    string
		families []tool.Family
	}{
		{alice, "", []tool.Family{tool.FamilyTriggerfish}},
		{alice, "?tools=", []tool.Family{tool.FamilyTriggerfish}},
		{sharer, "", []tool.Family{tool.FamilyMemory, tool.FamilyTriggerfish}},
		{sharer, "?tools=maestro,memory", []tool.Family{tool.FamilyMemory, tool.FamilyMAESTRO}},
		{alice, "?tools=all", []tool.Family{tool.FamilyMemory, tool.FamilyTriggerfish, tool.FamilyMAESTRO, tool.FamilyKeyValue}},
	} {
		var listed []string
		for _, d := range h.tools.Definitions(c.p) {
			if slices.Contains(c.families, d.Family) {
				listed = append(listed, d.Name)
			}
		}
		for _, body := range []string{listTools, "[" + listTools + "]"} {
			r := h.post(http.MethodPost, "/mcp"+c.query, body, "Authorization", "Bearer "+h.Token(c.p))
			if got := strings.Count(r.body, `"inputSchema"`); r.status != http.StatusOK || got != len(listed) {
				t.Errorf("%s: status %d, %d tools", c.query, r.status, got)
			}
			for _, name := range listed {
				if !strings.Contains(r.body, `"name":"`+name+`"`) {
					t.Errorf("%s: no %s", c.query, name)
				}
			}
		}
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_get","arguments":{"key":"none"}}}`
	if r := h.post(http.MethodPost, "/mcp?tools=maestro", call, "Authorization", "Bearer "+h.Token(alice)); !strings.Contains(r.body, `"found":false`) {
		t.Error(r.body)
	}
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		r := h.post(method, "/mcp?tools=some", listTools, "Authorization", "Bearer "+h.Token(alice))
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, "triggerfish") {
			t.Errorf("status %d, %s", r.status, r.body)
		}
	}
}

func sameJSON(t testing.TB, a any, b json.RawMessage) bool {
	t.Helper()
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var y any
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	z, err := json.Marshal(y)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, z)
}

func TestCallsOverMCPBringTextAndStructuredContent(t *testing.T) {
	h := open(t, mcp.Options{})
	s := h.client(alice)
	saved := call(t, s, "memory_save", map[string]any{"key": "tea", "content": "green"})
	if saved.IsError || textOf(t, saved) != `{"saved":true,"key":"tea","classification":"PUBLIC"}` {
		t.Errorf("%+v", saved)
	}
	got := call(t, s, "memory_get", map[string]any{"key": "tea"})
	structured, err := json.Marshal(got.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range h.tools.Definitions(alice) {
		if d.Name != "memory_get" {
			continue
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Output))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("out.json", schema); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.MustCompile("out.json").Validate(value); err != nil {
			t.Error(err)
		}
	}
	view := call(t, s, "memory", map[string]any{"command": "view", "path": "/memories/tea"})
	if textOf(t, view) != "Here's the content of /memories/tea with line numbers:\n     1\tgreen" || view.StructuredContent != nil {
		t.Errorf("%+v", view)
	}
	refused := call(t, s, "memory", map[string]any{"command": "view", "path": "/etc/passwd"})
	if !refused.IsError || textOf(t, refused) != "Path must start with /memories, got: /etc/passwd" {
		t.Errorf("%+v", refused)
	}
	if empty := call(t, s, "memory_save", nil); !empty.IsError {
		t.Errorf("%+v", empty)
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "none"}); err == nil {
		t.Error("a tool that there is not was called")
	}
	// The caller is the token's holder, and no other.
	if other := call(t, h.client(bob), "memory_get", map[string]any{"key": "tea"}); textOf(t, other) != `{"found":false,"key":"tea"}` {
		t.Errorf("%+v", other)
	}
}

func TestIndexIsAResource(t *testing.T) {
	h := open(t, mcp.Options{})
	s := h.client(alice)
	read := func() string {
		t.Helper()
		got, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://self/MEMORY.md"})
		if err != nil || len(got.Contents) != 1 || got.Contents[0].MIMEType != "text/markdown" {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Contents[0].Text
	}
	list, err := s.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "mneme://self/MEMORY.md" {
		t.Fatalf("%+v, %v", list, err)
	}
	if got := read(); got != "\n" {
		t.Error(got)
	}
	call(t, s, "UpdateUserMemory", map[string]any{"action": "upsert", "name": "tea", "type": "user", "description": "likes green tea", "body": "x"})
	if got := read(); got != "- [tea](tea.md) — likes green tea (2026-03-01)\n" {
		t.Error(got)
	}
	if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://bob/MEMORY.md"}); err == nil {
		t.Error("another resource was read")
	}
	// An empty index is still a text, and contains no other caller's entries.
	body := h.post(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"mneme://self/MEMORY.md"}}`,
		"Authorization", "Bearer "+h.Token(bob)).body
	if !strings.Contains(body, `"text":"\n"`) || !strings.Contains(body, `"cacheScope":"private"`) {
		t.Error(body)
	}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestEndpointIsStatelessAndAnswersJSON(t *testing.T) {
	h := open(t, mcp.Options{})
	auth := []string{"Authorization", "Bearer " + h.Token(alice)}
	r := h.post(http.MethodPost, "/mcp", listTools, auth...)
	if r.status != http.StatusOK || r.header.Get("Content-Type") != "application/json" || r.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	r = h.post(http.MethodPost, "/mcp", listTools, "X-API-Key", h.Token(alice))
	if r.status != http.StatusOK {
		t.Errorf("status %d with X-API-Key", r.status)
	}
	for method, status := range map[string]int{http.MethodGet: 405, http.MethodDelete: 405} {
		if r := h.post(method, "/mcp", "", auth...); r.status != status {
			t.Errorf("%s: status %d", method, r.status)
		}
	}
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"no JSON":        {`{"jsonrpc": `, 400, `"id":null,"error":{"code":-32700`},
		"nothing":        {``, 400, ``},
		"an object":      {`{}`, 400, `"id":null,"error":{"code":-32600`},
		"too large":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory","arguments":{"x":"` + strings.Repeat("x", 3<<20) + `"}}}`, 413, `urn:mneme:problem:too-large`},
		"too deep":       {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory","arguments":{"content":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}}`, 400, `"code":-32700`},
		"no such method": {`{"jsonrpc":"2.0","id":"marzipan","method":"nougat"}`, 200, `"id":"marzipan","error":{"code":-32601`},
		"a batch":        {`[` + listTools + `]`, 200, `"tools":[`},
	} {
		r := h.post(http.MethodPost, "/mcp", c.body, auth...)
		if r.status != c.status || !strings.Contains(r.body, c.want) || c.want != "" && !json.Valid([]byte(r.body)) || strings.Contains(r.body, "nougat") {
			t.Errorf("%s: status %d, %.200s", name, r.status, r.body)
		}
	}
}

func TestWithoutATokenTheClientLearnsWhereToGetOne(t *testing.T) {
	h := open(t, mcp.Options{AuthorizationServers: []string{"https://login.example.org"}})
	for name, header := range map[string][]string{"none": nil, "bad": {"Authorization", "Bearer nonsense"}} {
		r := h.post(http.MethodPost, "/mcp", listTools, header...)
		challenge := r.header.Get("WWW-Authenticate")
		metadata := h.http.URL + "/.well-known/oauth-protected-resource/mcp"
		if r.status != http.StatusUnauthorized || !strings.HasPrefix(challenge, "Bearer ") || !strings.Contains(challenge, `resource_metadata="`+metadata+`"`) {
			t.Errorf("%s: %d %s", name, r.status, challenge)
		}
	}
	for _, target := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		var got struct {
			Resource             string
			AuthorizationServers []string `json:"authorization_servers"`
			BearerMethods        []string `json:"bearer_methods_supported"`
		}
		if err := json.Unmarshal([]byte(h.post(http.MethodGet, target, "").body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Resource != h.http.URL+"/mcp" || len(got.AuthorizationServers) != 1 || got.AuthorizationServers[0] != "https://login.example.org" || len(got.BearerMethods) != 1 {
			t.Errorf("%+v", got)
		}
	}
	// Other calls keep their challenge.
	if r := h.post(http.MethodGet, "/v1/tools", ""); r.status != http.StatusUnauthorized || strings.Contains(r.header.Get("WWW-Authenticate"), "resource_metadata") {
		t.Errorf("%d %s", r.status, r.header.Get("WWW-Authenticate"))
	}
}

// Without issuers a client cannot be directed to a source of tokens.
func TestWithoutIssuersNoMetadataIsPromised(t *testing.T) {
	h := open(t, mcp.Options{})
	r := h.post(http.MethodPost, "/mcp", listTools)
	if challenge := r.header.Get("WWW-Authenticate"); r.status != http.StatusUnauthorized || strings.Contains(challenge, "resource_metadata") {
		t.Errorf("%d %s", r.status, challenge)
	}
	for _, target := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		if r := h.post(http.MethodGet, target, ""); r.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
}

func TestClientsGetThePublicURL(t *testing.T) {
	h := open(t, mcp.Options{PublicURL: "https://memory.example.org/", AuthorizationServers: []string{"https://login.example.org"}})
	r := h.post(http.MethodPost, "/mcp", listTools)
	if got := r.header.Get("WWW-Authenticate"); !strings.Contains(got, `resource_metadata="https://memory.example.org/.well-known/oauth-protected-resource/mcp"`) {
		t.Error(got)
	}
}

func TestThePublicURLMayHaveAPath(t *testing.T) {
	h := open(t, mcp.Options{PublicURL: "https://example.org/team/mneme", AuthorizationServers: []string{"https://login.example.org"}})
	r := h.post(http.MethodPost, "/mcp", listTools)
	if got := r.header.Get("WWW-Authenticate"); !strings.Contains(got, `resource_metadata="https://example.org/team/mneme/.well-known/oauth-protected-resource/mcp"`) {
		t.Error(got)
	}
	// A proxy may forward the RFC 9728 path, which is at the root.
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/team/mneme/mcp"} {
		if r := h.post(http.MethodGet, path, ""); r.status != http.StatusOK || !strings.Contains(r.body, `"resource":"https://example.org/team/mneme/mcp"`) {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}

// A host name that an attacker lets resolve to this machine is not a name of the
// server.
func TestForeignHostsOnLoopbackAreRefusedUnlessAProxyIsConfigured(t *testing.T) {
	for public, status := range map[string]int{"": 403, "https://memory.example.org": 200} {
		h := open(t, mcp.Options{PublicURL: public})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.http.URL+"/mcp", strings.NewReader(listTools))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "memory.example.org"
		r.Header.Set("Authorization", "Bearer "+h.Token(alice))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("public_url %q: status %d", public, response.StatusCode)
		}
	}
}

func TestPagesOfConfiguredOriginsMayCall(t *testing.T) {
	const page = "https://app.example"
	for name, c := range map[string]struct {
		origins []string
		origin  string
		status  int
	}{
		"a configured origin":       {[]string{page}, page, 200},
		"another origin":            {[]string{page}, "https://evil.example", 403},
		"any origin":                {[]string{"*"}, "https://evil.example", 200},
		"an origin that is no page": {[]string{page}, "null", 403},
	} {
		h := open(t, mcp.Options{Origins: c.origins})
		r := h.post(http.MethodPost, "/mcp", listTools, "Authorization", "Bearer "+h.Token(alice), "Origin", c.origin, "Sec-Fetch-Site", "cross-site")
		if r.status != c.status {
			t.Errorf("%s: status %d, want %d", name, r.status, c.status)
		}
	}
}

func TestPagesOfOtherOriginsMayNotCall(t *testing.T) {
	h := open(t, mcp.Options{})
	auth := "Bearer " + h.Token(alice)
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"another origin":     {[]string{"Origin", "https://evil.example.org"}, 403},
		"a cross-site fetch": {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"the same origin":    {[]string{"Origin", h.http.URL}, 200},
		"no browser":         {nil, 200},
	} {
		r := h.post(http.MethodPost, "/mcp", listTools, append(c.header, "Authorization", auth)...)
		if r.status != c.status {
			t.Errorf("%s: status %d", name, r.status)
		}
		if c.status == 403 && r.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
}

func FuzzMessage(f *testing.F) {
	h := open(f, mcp.Options{})
	bearer := "Bearer " + h.Token(alice)
	for _, seed := range []string{
		listTools, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory","arguments":{"command":"view","path":"/memories"}}}`,
		`[]`, `{`, `{"jsonrpc":"2.0","id":null,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
	} {
		f.Add(seed)
	}
	handler := h.http.Config.Handler
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Authorization", bearer)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("status %d, %s", w.Code, w.Body)
		}
	})
}
