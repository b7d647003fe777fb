package tool

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/compress"
	"mneme/server/problem"
	"mneme/server/wire"
)

// Surface serves the tools over HTTP: GET /v1/tools, POST /v1/tools/{name} and
// GET /v1/stores/{store}/MEMORY.md.
type Surface struct{ tools *Tools }

// NewSurface returns the surface of tools.
func NewSurface(tools *Tools) *Surface { return &Surface{tools} }

// Mount adds the routes. All require a token.
func (s *Surface) Mount(e *echo.Echo) (open []string) {
	e.GET("/v1/tools", s.list)
	e.POST("/v1/tools/:name", s.call)
	e.GET("/v1/stores/:store/MEMORY.md", s.index)
	return nil
}

// anthropicTool is a definition in the format of Anthropic's API.
type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// openAITool is a definition in the format of OpenAI's API.
type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// list answers with the definitions, of the families that ?tools= names: in the format that
// ?format= names, under "tools", or otherwise in both formats under their names.
func (s *Surface) list(c echo.Context) error {
	given, err := query(c, "format", "tools")
	if err != nil {
		return err
	}
	asked, err := ParseFamilies(given.Get("tools"))
	if err != nil {
		return problem.In(problem.Malformed, "tools", err.Error())
	}
	definitions := Asked(s.tools.Definitions(server.Principal(c.Request().Context())), asked)
	definitions = slices.DeleteFunc(definitions, func(d Definition) bool { return d.Unlisted })
	anthropic := make([]anthropicTool, len(definitions))
	openai := make([]openAITool, len(definitions))
	for i, d := range definitions {
		anthropic[i] = anthropicTool{d.Name, d.Description, d.Input}
		openai[i] = openAITool{"function", openAIFunction{d.Name, d.Description, d.Input}}
	}
	var body any
	switch given.Get("format") {
	case "":
		body = map[string]any{"anthropic": anthropic, "openai": openai}
	case "anthropic":
		body = map[string]any{"tools": anthropic}
	case "openai":
		body = map[string]any{"tools": openai}
	default:
		return problem.In(problem.Malformed, "format", "must be anthropic or openai")
	}
	return answer(c, body)
}

// The x402 headers that carry a payment with a call, and its settlement with the
// answer.
const (
	PaymentHeader    = "Payment-Signature"
	SettlementHeader = "Payment-Response"
)

// call calls a tool. A refusal by the tool is a normal answer. Only an unknown
// tool, and a body that is too large or not JSON, are problems.
func (s *Surface) call(c echo.Context) error {
	r := c.Request()
	name := c.Param("name")
	if !s.tools.Has(name) {
		return problem.New(problem.NotFound, "no such tool")
	}
	if _, err := query(c); err != nil {
		return err
	}
	input, err := wire.ReadBody(r, s.tools.MaxInput())
	switch {
	case err != nil:
		return err
	case !json.Valid(input):
		return problem.New(problem.Malformed, "the body is not JSON")
	}
	paid, err := payment.Read(r.Header, meter.Resource{})
	if err != nil {
		return checkout.Malformed(err)
	}
	key, err := wire.IdempotencyKey(r.Header)
	if err == nil && key != nil {
		err = wire.CheckIdempotencyKey(*key)
	}
	if err != nil {
		return err
	}
	result, err := s.tools.pay(r.Context(), server.Principal(r.Context()), name, input, paid, key)
	switch {
	case errors.Is(err, errKeyedWrite):
		return problem.In(problem.Malformed, "Idempotency-Key", "is for searches, and this call writes")
	case err != nil:
		return err
	}
	maps.Copy(c.Response().Header(), result.Payment)
	return answer(c, struct {
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}{result.Text, result.IsError})
}

// index answers with MEMORY.md.
func (s *Surface) index(c echo.Context) error {
	p := server.Principal(c.Request().Context())
	store, err := url.PathUnescape(c.Param("store"))
	if err != nil {
		return problem.In(problem.Malformed, "store", "cannot be decoded")
	}
	if store == "self" {
		store = p.Agent
	}
	if err := acl.CheckID(store); err != nil {
		return problem.In(problem.Malformed, "store", err.Error())
	}
	if _, err := query(c); err != nil {
		return err
	}
	if held := c.Request().Header.Values("If-None-Match"); held != nil && !entityTags.MatchString(strings.Join(held, ", ")) {
		return problem.In(problem.Malformed, "If-None-Match", "must be * or a list of quoted entity tags")
	}
	text, err := s.tools.Index(c.Request().Context(), p, store)
	if err != nil {
		return err
	}
	tag := `"` + s.tools.service.Secret().Digest("MEMORY.md", p.Agent, store, text)[:22] + `"`
	h := c.Response().Header()
	h.Set("ETag", tag)
	if compress.Holds(c.Request().Header.Values("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, "text/markdown; charset=utf-8", []byte(text))
}

// entityTags matches * and lists of entity tags (RFC 9110 §13.1.2).
var entityTags = regexp.MustCompile(`^[ \t]*(\*|[, \t]*(W/)?"[!#-~\x80-\x{10FFFF}]*"([ \t]*,[, \t]*(W/)?"[!#-~\x80-\x{10FFFF}]*")*[, \t]*)[ \t]*$`)

// query returns the query's parameters. It refuses unknown and repeated ones.
func query(c echo.Context, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return nil, problem.New(problem.Malformed, "the query cannot be decoded")
	}
	for given, all := range values {
		if !slices.Contains(known, given) {
			return nil, problem.New(problem.Malformed, "unknown query parameter")
		}
		if len(all) > 1 {
			return nil, problem.In(problem.Malformed, given, "must be given once")
		}
	}
	return values, nil
}

func answer(c echo.Context, body any) error {
	text, err := wire.Marshal(body)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(text, '\n'))
}
