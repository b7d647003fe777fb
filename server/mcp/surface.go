package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/server"
	"mneme/server/problem"
	"mneme/server/tool"
	"mneme/server/wire"
)

const (
	endpoint = "/mcp"
	// queryTools names families of tools in the query of the endpoint, as
	// tool.ParseFamilies takes them.
	queryTools = "tools"
	// metadataPath is the well-known path of RFC 9728 §3.1 for a resource
	// without a path. The metadata of /mcp is at this path followed by /mcp.
	metadataPath = "/.well-known/oauth-protected-resource"
)

// Options configure a Surface.
type Options struct {
	Version string // of the product
	// Batch is the limit on the messages of a batch; 0 means 16.
	Batch int
	// AuthorizationServers are the trusted issuers, for the metadata of the
	// protected resource. Empty if tokens are issued another way, such as by
	// mneme token: then there is no metadata.
	AuthorizationServers []string
	// PublicURL is the server's address for clients, which may include a path. If empty, it
	// is derived from each request.
	PublicURL string
	// Origins are the origins of pages that may call from a browser, besides the server's
	// own, or only "*".
	Origins []string
	Meter   Meter // default: requests are not counted
}

// Surface serves MCP over streamable HTTP, without sessions and with JSON
// responses.
type Surface struct {
	tools   Tools
	options Options
	maxBody int64
	batch   int
	calls   calls
	handler http.Handler
	origins *http.CrossOriginProtection // nil: all may call
}

// serverKey is the context key for the server of a request.
type serverKey struct{}

// NewSurface returns the surface. It panics if an origin is invalid.
func NewSurface(tools Tools, o Options) *Surface {
	maxBody := tools.MaxInput() + messageRoom
	streamable := mcp.NewStreamableHTTPHandler(
		func(r *http.Request) *mcp.Server {
			s, _ := r.Context().Value(serverKey{}).(*mcp.Server)
			return s
		},
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
			MaxRequestBodyBytes:        maxBody,
			DisableLocalhostProtection: true, // the server checks the hosts of all calls
		})
	s := &Surface{tools: tools, options: o, maxBody: maxBody, batch: o.Batch, handler: streamable, origins: trusted(o.Origins)}
	if s.batch == 0 {
		s.batch = defaultBatch
	}
	return s
}

// trusted returns the protection against pages of other origins; nil if all are trusted.
func trusted(origins []string) *http.CrossOriginProtection {
	protection := http.NewCrossOriginProtection()
	for _, origin := range origins {
		if origin == "*" {
			return nil
		}
		if err := protection.AddTrustedOrigin(origin); err != nil {
			panic(err) // the configuration was checked
		}
	}
	return protection
}

// defaultBatch is the default of Options.Batch.
const defaultBatch = 16

// messageRoom is the allowance for a message around a tool's input, in bytes.
const messageRoom = 64 << 10

// Mount adds the endpoint, and the metadata of the protected resource, which
// needs no token.
func (s *Surface) Mount(e *echo.Echo) (open []string) {
	e.Pre(s.challenge)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		e.Add(method, endpoint, s.serve)
		e.Add(method, endpoint+"/", s.serve)
	}
	open = []string{metadataPath, metadataPath + endpoint}
	// RFC 9728 §3.1 appends the path of a resource to the well-known path.
	if u, err := url.Parse(s.options.PublicURL); err == nil && strings.Trim(u.Path, "/") != "" {
		open = append(open, metadataPath+strings.TrimSuffix(u.Path, "/")+endpoint)
	}
	for _, path := range open {
		e.GET(path, s.metadata)
	}
	return open
}

// serve answers one message, or a batch of them, as the request's caller.
func (s *Surface) serve(c echo.Context) error {
	r := c.Request()
	if s.origins != nil && s.origins.Check(r) != nil {
		return problem.New(problem.Forbidden, "cross-origin requests are not allowed")
	}
	if _, err := tool.ParseFamilies(r.URL.Query().Get(queryTools)); err != nil {
		return problem.In(problem.Malformed, queryTools, err.Error())
	}
	if r.Method != http.MethodPost {
		s.handler.ServeHTTP(c.Response(), s.withServer(r, nil))
		return nil
	}
	body, err := wire.ReadBody(r, s.maxBody)
	if err != nil {
		return err
	}
	body = bytes.TrimSpace(body)
	if isBatch(body) {
		return s.serveBatch(c.Response(), r, body)
	}
	message, fault := read(body, false)
	if fault != "" || message == nil {
		return c.Blob(http.StatusBadRequest, echo.MIMEApplicationJSON, []byte(fault))
	}
	if status, fault := faultOf(r, message); fault != "" {
		return c.Blob(status, echo.MIMEApplicationJSON, []byte(fault))
	}
	s.serveOne(c.Response(), r, body, message)
	return nil
}

// withServer returns a request with the server for its message, or without one if it
// needs none.
func (s *Surface) withServer(r *http.Request, message jsonrpc.Message) *http.Request {
	asked, _ := tool.ParseFamilies(r.URL.Query().Get(queryTools)) // already checked
	one := newServer(s.tools, server.Principal(r.Context()), s.options.Version, asked, toolsOf(message))
	if s.options.Meter != nil {
		one.AddReceivingMiddleware(counted(s.options.Meter))
	}
	one.AddReceivingMiddleware(endWithRequest)
	return r.WithContext(context.WithValue(r.Context(), serverKey{}, one))
}

// serveOne answers one message. A call ends with the request, or when the
// client cancels it by another message; a cancelled call has no response.
func (s *Surface) serveOne(w http.ResponseWriter, r *http.Request, body []byte, message jsonrpc.Message) {
	if id, ok := cancelledCall(message); ok {
		s.calls.cancel(keyOf(r, id))
	}
	request, isRequest := message.(*jsonrpc.Request)
	if isRequest && request.IsCall() && request.Method != methodInitialize && request.Method != methodListen {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		call, done := s.calls.start(keyOf(r, request.ID), cancel)
		defer done()
		defer func(w http.ResponseWriter) {
			if !call.answer() {
				w.WriteHeader(http.StatusAccepted) // without a body, as for a notification
			}
		}(w)
		r, w = r.WithContext(ctx), &answerWriter{w, call}
	}
	if !isRequest || request.Method != methodListen { // a listen request is answered by a stream
		r = lenient(r)
	}
	r = withRequest(s.withServer(r, message))
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	s.handler.ServeHTTP(w, r)
}

// challenge adds the URL of the resource metadata to the WWW-Authenticate header
// of a 401 (RFC 9728 §5.1), if there is one.
func (s *Surface) challenge(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if len(s.options.AuthorizationServers) > 0 && strings.TrimSuffix(c.Request().URL.Path, "/") == endpoint {
			response, address := c.Response(), s.address(c.Request())
			response.Before(func() {
				if h := response.Header(); response.Status == http.StatusUnauthorized {
					h.Set("WWW-Authenticate", h.Get("WWW-Authenticate")+`, resource_metadata="`+address+metadataPath+endpoint+`"`)
				}
			})
		}
		return next(c)
	}
}

// address returns the server's address as the client knows it.
func (s *Surface) address(r *http.Request) string {
	if s.options.PublicURL != "" {
		return strings.TrimSuffix(s.options.PublicURL, "/")
	}
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	return scheme + "://" + strings.Map(hostCharacter, r.Host)
}

// hostCharacter drops characters that are invalid in a host, to prevent header
// injection.
func hostCharacter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_:[]", r) {
		return r
	}
	return -1
}

// metadata describes the protected resource (RFC 9728). Without authorization servers there
// is no metadata: a client would look for them at the resource itself.
func (s *Surface) metadata(c echo.Context) error {
	if len(s.options.AuthorizationServers) == 0 {
		return problem.New(problem.NoSuchCall, "")
	}
	body, err := json.Marshal(struct {
		Resource             string   `json:"resource"`
		AuthorizationServers []string `json:"authorization_servers,omitempty"`
		BearerMethods        []string `json:"bearer_methods_supported"`
		Scopes               []string `json:"scopes_supported"`
		Name                 string   `json:"resource_name"`
	}{s.address(c.Request()) + endpoint, s.options.AuthorizationServers, []string{"header"}, []string{"share", "spend"}, "mneme"})
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Access-Control-Allow-Origin", "*") // it is public, and clients in browsers read it
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(body, '\n'))
}
