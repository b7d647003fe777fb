package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

const (
	endpoint = "/mcp"
	// metadataPath is where RFC 9728 §3.1 looks for the metadata of a resource
	// without a path; that of /mcp has its path behind it.
	metadataPath = "/.well-known/oauth-protected-resource"
)

// Options make a Surface.
type Options struct {
	Version string // of the product
	// AuthorizationServers are the issuers whose tokens are believed, for the
	// metadata of the protected resource. Empty: tokens come from elsewhere,
	// such as mneme token.
	AuthorizationServers []string
	// PublicURL is the address by which clients know the server, without a
	// path. Empty: that of each request.
	PublicURL string
	Meter     Meter // default: nobody counts
}

// Surface serves MCP over streamable HTTP: without sessions, each answer a
// JSON document.
type Surface struct {
	tools   Tools
	options Options
	maxBody int64
	handler http.Handler
	origins *http.CrossOriginProtection
}

// serverKey is the context key for the server of a request.
type serverKey struct{}

// NewSurface makes the surface.
func NewSurface(tools Tools, o Options) *Surface {
	maxBody := tools.MaxInput() + messageRoom
	streamable := mcp.NewStreamableHTTPHandler(
		func(r *http.Request) *mcp.Server {
			s, _ := r.Context().Value(serverKey{}).(*mcp.Server)
			return s
		},
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
			MaxRequestBodyBytes: maxBody,
			// On loopback the SDK refuses Host headers of elsewhere, which a
			// proxy in front sends.
			DisableLocalhostProtection: o.PublicURL != "",
		})
	return &Surface{tools: tools, options: o, maxBody: maxBody, handler: streamable, origins: http.NewCrossOriginProtection()}
}

// messageRoom is what a message may hold beside a tool's input.
const messageRoom = 64 << 10

// Mount adds the endpoint, and the metadata of the protected resource, which
// are open.
func (s *Surface) Mount(e *echo.Echo) (open []string) {
	e.Pre(s.challenge)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		e.Add(method, endpoint, s.serve)
	}
	e.GET(metadataPath, s.metadata)
	e.GET(metadataPath+endpoint, s.metadata)
	return []string{metadataPath, metadataPath + endpoint}
}

// serve answers one message as the request's caller.
func (s *Surface) serve(c echo.Context) error {
	r := c.Request()
	if s.origins.Check(r) != nil {
		return problem.New(problem.Forbidden, "a page of another origin may not call")
	}
	one := NewServer(s.tools, server.Principal(r.Context()), s.options.Version)
	if s.options.Meter != nil {
		one.AddReceivingMiddleware(counted(s.options.Meter))
	}
	r = r.WithContext(context.WithValue(r.Context(), serverKey{}, one))
	if r.Method == http.MethodPost {
		body, err := wire.ReadBody(r, s.maxBody)
		if err != nil {
			return err
		}
		if status, fault := faultOf(r, body); fault != "" {
			return c.Blob(status, echo.MIMEApplicationJSON, []byte(fault))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	s.handler.ServeHTTP(c.Response(), r)
	return nil
}

// challenge adds to a refusal for want of a token where a client learns how to
// come by one (RFC 9728 §5.1).
func (s *Surface) challenge(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().URL.Path == endpoint {
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

// address is the server's own as the client knows it.
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

// hostCharacter drops what no host has, so that a header cannot be written
// through one.
func hostCharacter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_:[]", r) {
		return r
	}
	return -1
}

// metadata describes the protected resource (RFC 9728).
func (s *Surface) metadata(c echo.Context) error {
	body, err := json.Marshal(struct {
		Resource             string   `json:"resource"`
		AuthorizationServers []string `json:"authorization_servers,omitempty"`
		BearerMethods        []string `json:"bearer_methods_supported"`
		Scopes               []string `json:"scopes_supported"`
		Name                 string   `json:"resource_name"`
	}{s.address(c.Request()) + endpoint, s.options.AuthorizationServers, []string{"header"}, []string{"share"}, "mneme"})
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Access-Control-Allow-Origin", "*") // it is public, and clients in browsers read it
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(body, '\n'))
}
