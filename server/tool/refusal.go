package tool

import (
	"errors"
	"fmt"

	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/wire"
)

// refusal is an error whose text goes to the model unchanged.
type refusal struct {
	text string
	err  error // of the service, if it came from there
}

func (r *refusal) Error() string { return r.text }

// Unwrap is the error of the service.
func (r *refusal) Unwrap() error { return r.err }

func refuse(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...)}
}

// because is a refusal that an error of the service led to.
func because(err error, format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...), err: err}
}

// textOf is the text of an error for the model: a refusal's own, else that of
// the problem, which is a constant or names only fields and limits; a rule
// names the tool's own parameter.
func (c *call) textOf(err error) string {
	if r, ok := err.(*refusal); ok { //nolint:errorlint // a refusal is never wrapped
		return r.text
	}
	var broken *memory.RuleError
	if !errors.As(err, &broken) {
		return "Error: " + problem.From(err).Error()
	}
	name, ok := c.said[broken.Field]
	if !ok {
		name = "`" + broken.Field + "`"
	}
	return "Error: " + name + " " + broken.Rule
}

// asJSON is a result of an object: its JSON is the text too, for clients that
// read text alone.
func asJSON(object any) (Result, error) {
	text, err := wire.Marshal(object)
	if err != nil {
		return Result{}, err
	}
	return Result{Text: string(text), Structured: text}, nil
}
