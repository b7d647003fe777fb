package console

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/server/limit"
	"mneme/server/problem"
)

const (
	// codeLife is how long the code in a link is valid.
	codeLife = 5 * time.Minute
	// maxCall bounds the body of an exchange, in bytes.
	maxCall = 1 << 10
)

// Session exchanges one code for one token. It is safe for concurrent use.
type Session struct {
	mint func() (string, error)
	now  func() time.Time

	mu      sync.Mutex
	digest  [sha256.Size]byte // of the code
	expires time.Time         // zero: it was used
}

// NewSession returns a session and its code, which is valid for five minutes.
// mint creates the token.
func NewSession(mint func() (string, error), now func() time.Time) (s *Session, code string) {
	code = rand.Text()
	return &Session{mint: mint, now: now, digest: sha256.Sum256([]byte(code)), expires: now().Add(codeLife)}, code
}

var errCode = problem.New(problem.Unauthenticated, "the code is wrong, was used, or is older than five minutes: restart the server for another one, or paste a token")

// redeem invalidates the code and returns the token.
func (s *Session) redeem(code string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	digest := sha256.Sum256([]byte(code))
	if subtle.ConstantTimeCompare(digest[:], s.digest[:]) != 1 || !s.now().Before(s.expires) {
		return "", errCode
	}
	s.expires = time.Time{}
	return s.mint()
}

// exchange answers a code with a token.
//
// SECURITY: a page of another origin, or a foreign host name that resolves to this
// machine, must not obtain the token of whoever opens it.
func (s *Surface) exchange(c echo.Context) error {
	r := c.Request()
	c.Response().Header().Set("Cache-Control", "no-store")
	if err := local(r); err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problem.New(problem.UnsupportedMediaType, "the body must be application/json")
	}
	var in struct {
		Code string `json:"code"`
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall+1))
	if err != nil {
		return problem.New(problem.Malformed, "the body broke off").Because(err)
	}
	if len(body) > maxCall {
		return problem.New(problem.TooLarge, "the body has more than 1,024 bytes")
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil || in.Code == "" || decoder.Decode(&struct{}{}) != io.EOF {
		return problem.New(problem.Malformed, "the body must be an object with code alone")
	}
	if s.session == nil {
		return errCode
	}
	token, err := s.session.redeem(in.Code)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"token": token})
}

// local refuses requests that do not come from a page of this server on this
// machine.
func local(r *http.Request) error {
	refused := problem.New(problem.Forbidden, "the code is taken from the console on the machine of the server alone: paste a token instead")
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return refused
	}
	for _, forwarded := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		if r.Header.Get(forwarded) != "" { // a proxy, whose client may be anywhere
			return refused
		}
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || origin.Scheme != "http" && origin.Scheme != "https" || origin.Host != r.Host || !limit.LoopbackHost(r.Host) {
		return refused
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return refused
	}
	_, port, err := net.SplitHostPort(local.String())
	usual := map[string]string{"http": "80", "https": "443"}[origin.Scheme]
	if err != nil || origin.Port() != port && !(origin.Port() == "" && port == usual) {
		return refused
	}
	return nil
}
