package tool

import (
	"errors"
	"fmt"

	"mneme/memory"
	"mneme/server/problem"
)

// refusal is an error whose text the model receives unchanged.
type refusal struct {
	text string
	err  error // the service's error behind it, or nil
}

func (r *refusal) Error() string { return r.text }

// Unwrap returns the service's error.
func (r *refusal) Unwrap() error { return r.err }

func refuse(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...)}
}

// because returns a refusal that wraps an error of the service.
func because(err error, format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...), err: err}
}

// textOf returns an error's text for the model: a refusal's own text, a
// broken rule with the tool's name for the field, or otherwise the text of
// the problem, which is constant or names only fields and limits.
func (c *call) textOf(err error) string {
	if r, ok := err.(*refusal); ok { //nolint:errorlint // a refusal is never wrapped
		return r.text
	}
	var broken *memory.RuleError
	if !errors.As(err, &broken) {
		return "Error: " + problem.From(err).Error()
	}
	name, ok := c.parameter[broken.Field]
	if !ok {
		name = "`" + broken.Field + "`"
	}
	return "Error: " + name + " " + broken.Rule
}

// asJSON returns an object as a structured result. Its text is the same JSON,
// for clients that read only text.
func asJSON(object any) (Result, error) {
	text, err := encode(object)
	return Result{Text: text, Structured: err == nil}, err
}
