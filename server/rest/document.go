package rest

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"mneme/server/problem"
	"mneme/server/wire"
)

// document is the part of the specification that requests are checked against before
// the generated code reads them: the query parameters of each call, the media type
// of its body, and whether it may answer 304.
type document struct {
	Paths      map[string]pathItem `json:"paths"`
	Components struct {
		Parameters map[string]parameter `json:"parameters"`
	} `json:"components"`
}

type pathItem struct {
	Parameters []parameter `json:"parameters"`
	Get        *operation  `json:"get"`
	Put        *operation  `json:"put"`
	Post       *operation  `json:"post"`
	Delete     *operation  `json:"delete"`
}

type operation struct {
	ID          string      `json:"operationId"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content map[string]any `json:"content"`
	} `json:"requestBody"`
	Responses map[string]any `json:"responses"`
}

type parameter struct {
	Ref    string `json:"$ref"`
	Name   string `json:"name"`
	In     string `json:"in"`
	Schema struct {
		Type string   `json:"type"`
		Enum []string `json:"enum"`
	} `json:"schema"`
}

// middlewares returns the checks of each operation, by its ID.
func (d *document) middlewares() map[string][]echo.MiddlewareFunc {
	all := make(map[string][]echo.MiddlewareFunc)
	for _, item := range d.Paths {
		for _, op := range []*operation{item.Get, item.Put, item.Post, item.Delete} {
			if op == nil {
				continue
			}
			query := d.query(slices.Concat(item.Parameters, op.Parameters))
			_, lines := op.RequestBody.Content[wire.ContentLines]
			all[op.ID] = []echo.MiddlewareFunc{strict(query, lines)}
			if _, conditional := op.Responses["304"]; conditional && op == item.Get {
				all[op.ID] = append(all[op.ID], withTag)
			}
		}
	}
	return all
}

// query selects the query parameters, by name.
func (d *document) query(parameters []parameter) map[string]parameter {
	found := make(map[string]parameter)
	for _, p := range parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		if p.In == "query" {
			found[p.Name] = p
		}
	}
	return found
}

// strict refuses input that the generated code would accept: query parameters
// that are unknown, repeated or badly encoded, and repeated headers.
func strict(query map[string]parameter, lines bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if err := checkQuery(r.URL.RawQuery, query); err != nil {
				return err
			}
			r.URL.RawQuery = withoutEmpty(r.URL.RawQuery)
			dropEmptyType(r.Header)
			if lines {
				if err := wire.CheckMediaType(r, true, wire.ContentLines, "application/ndjson", "application/jsonl"); err != nil {
					return err
				}
			}
			for _, name := range []string{"If-Match", "If-None-Match"} {
				// Several lines of a list header are one list (RFC 9110 §5.3).
				if given := r.Header.Values(name); len(given) > 1 {
					r.Header.Set(name, strings.Join(given, ", "))
				}
			}
			if _, err := wire.IdempotencyKey(r.Header); err != nil {
				return err
			}
			return next(c)
		}
	}
}

func checkQuery(raw string, known map[string]parameter) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return problem.New(problem.Malformed, "the query cannot be decoded")
	}
	for name, given := range values {
		p, ok := known[name]
		if !ok {
			return wire.UnknownName("query parameter", name)
		}
		if len(given) > 1 && p.Schema.Type != "array" {
			return problem.In(problem.Malformed, name, "must be given once")
		}
		if name == keyParameter {
			return problem.In(problem.Malformed, name, "is given once, not empty, and with - in its place in the path")
		}
		for _, value := range given {
			if value == "" {
				continue // see withoutEmpty
			}
			if err := p.check(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// integer matches the integers in a query.
var integer = regexp.MustCompile(`^-?[0-9]{1,9}$`)

func (p parameter) check(value string) error {
	switch {
	case !utf8.ValidString(value):
		return problem.In(problem.Malformed, p.Name, "must be UTF-8")
	case p.Schema.Type == "integer" && !integer.MatchString(value):
		return problem.In(problem.Malformed, p.Name, "must be an integer")
	case len(p.Schema.Enum) > 0 && !slices.Contains(p.Schema.Enum, value):
		return problem.In(problem.Malformed, p.Name, "must be one of: "+strings.Join(p.Schema.Enum, ", "))
	}
	return nil
}
