// Package tool holds the tools that a language model is given: one definition
// each, which MCP, POST /v1/tools/{name} and GET /v1/tools share. A tool is a
// translation onto the memory service and has no rule of access of its own.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/wire"
)

// Family is a group of tools that is offered or not as a whole.
type Family string

// The families, named after the systems whose agents know their tools.
const (
	FamilyMemory      Family = "memory"      // memory: Robutler's commands and those of memory_20250818
	FamilyTriggerfish Family = "triggerfish" // memory_save, memory_get, memory_search, memory_list, memory_delete
	FamilyMAESTRO     Family = "maestro"     // UpdateUserMemory, ReadUserMemory
	FamilyKeyValue    Family = "kv"          // kv_set, kv_get, kv_delete; deprecated
)

// maxWriters is how often an edit is tried again after another writer came
// first.
const maxWriters = 100

// Options switch families. The zero value offers all of them.
type Options struct {
	NoMemory, NoTriggerfish, NoMAESTRO, NoKeyValue bool
	// ValueLimit is the service's limit of one value in bytes; 0 is its
	// default. It bounds the input of a call.
	ValueLimit int
	// Meter counts the calls. Default: nobody does.
	Meter Meter
}

// Meter counts what tools do; see server.Metrics.
type Meter interface {
	// ToolCall counts a call of a tool that there is.
	ToolCall(surface, tool, outcome string, took time.Duration)
	// Search counts an answered search.
	Search(memory.Answer)
}

// unmetered counts nothing.
type unmetered struct{}

func (unmetered) ToolCall(string, string, string, time.Duration) {}
func (unmetered) Search(memory.Answer)                           {}

// Definition is what a model and its client are told of a tool. Everything in
// it is constant: no memory can change what a tool says of itself.
type Definition struct {
	Name        string
	Title       string
	Family      Family
	Description string
	Input       json.RawMessage // JSON Schema of the arguments
	Output      json.RawMessage // JSON Schema of Result.Structured; nil: text alone

	ReadOnly    bool // changes nothing
	Destructive bool // may overwrite or remove
	Idempotent  bool // the same call again changes nothing more
}

// Result is what a call of a tool brought.
type Result struct {
	Text       string
	Structured json.RawMessage // an object; nil: text alone
	IsError    bool            // Text says what was refused, and why

	cause error // of an error
}

// Cause is the error that became the text; nil if the call succeeded.
func (r Result) Cause() error { return r.cause }

// ErrNoTool says that there is no tool of that name.
var ErrNoTool = errors.New("no such tool")

// tool is a definition with what carries it out.
type tool struct {
	Definition
	run func(context.Context, *call) (Result, error)
}

// call is one call of a tool.
type call struct {
	service *memory.Service
	meter   Meter
	caller  memory.Caller
	name    string
	input   json.RawMessage
	said    map[string]string // what the caller knows a field of the service as; else it is its name
}

// search asks the service, and counts what it answers.
func (c *call) search(ctx context.Context, r memory.SearchRequest) (memory.Answer, error) {
	answer, err := c.service.Search(ctx, c.caller, r)
	if err == nil {
		c.meter.Search(answer)
	}
	return answer, err
}

// own is the path of a key in the caller's own store.
func (c *call) own(key string) memory.Path { return memory.Path{Store: c.caller.Agent, Key: key} }

// Tools are the tools over one service.
type Tools struct {
	service  *memory.Service
	meter    Meter
	surface  string // over which calls come, for the meter
	maxInput int64
	private  []tool // offered to tokens without the scope share
	sharing  []tool // offered to those with it
}

// New makes the tools.
func New(service *memory.Service, o Options) *Tools {
	t := &Tools{service: service, meter: o.Meter, maxInput: wire.MaxEscapedBody(o.ValueLimit)}
	if t.meter == nil {
		t.meter = unmetered{}
	}
	off := map[Family]bool{
		FamilyMemory: o.NoMemory, FamilyTriggerfish: o.NoTriggerfish, FamilyMAESTRO: o.NoMAESTRO, FamilyKeyValue: o.NoKeyValue,
	}
	offered := func(all []tool) []tool {
		return slices.DeleteFunc(all, func(one tool) bool { return off[one.Family] })
	}
	rest := slices.Concat(triggerfish(), maestro(), keyValue())
	t.private = offered(append([]tool{memoryTool(false)}, rest...))
	t.sharing = offered(append([]tool{memoryTool(true)}, rest...))
	return t
}

// Over are the same tools as they are called over one surface, which is what
// the meter is told.
func (t *Tools) Over(surface string) *Tools {
	over := *t
	over.surface = surface
	return &over
}

// MaxInput is how many bytes the input of a call may have.
func (t *Tools) MaxInput() int64 { return t.maxInput }

// Definitions are those of the tools that are offered to a caller, in a
// stable order.
func (t *Tools) Definitions(p acl.Principal) []Definition {
	tools := t.offered(p)
	definitions := make([]Definition, len(tools))
	for i, one := range tools {
		definitions[i] = one.Definition
	}
	return definitions
}

// offered are the tools that a caller is offered.
func (t *Tools) offered(p acl.Principal) []tool {
	if p.Share {
		return t.sharing
	}
	return t.private
}

// Has reports whether a tool of that name exists.
func (t *Tools) Has(name string) bool {
	return slices.ContainsFunc(t.private, func(one tool) bool { return one.Name == name })
}

// Call calls a tool. What its schema, a rule or a check of access refuses is a
// Result with IsError; the error is ErrNoTool, or that of a caller who went
// away. input is JSON, valid or not.
func (t *Tools) Call(ctx context.Context, p acl.Principal, name string, input json.RawMessage) (Result, error) {
	tools := t.offered(p)
	i := slices.IndexFunc(tools, func(one tool) bool { return one.Name == name })
	if i < 0 {
		return Result{}, ErrNoTool
	}
	// Internal stays false: what is not in context is absent for a tool.
	c := &call{service: t.service, meter: t.meter, caller: memory.Caller{Principal: p}, name: name, input: input}
	start := time.Now()
	outcome := failed // kept if the tool panics
	defer func() { t.meter.ToolCall(t.surface, name, outcome, time.Since(start)) }()
	result, err := tools[i].run(ctx, c)
	outcome = outcomeOf(err)
	switch {
	case err == nil:
		return result, nil
	case errors.Is(err, context.Canceled):
		return Result{}, err
	default:
		return Result{Text: c.textOf(err), IsError: true, cause: err}, nil
	}
}

// How a call ends, for the meter.
const (
	succeeded = "ok"
	refused   = "refused" // by a schema, a rule or a check of access
	failed    = "failed"  // here, or because the client went away
)

func outcomeOf(err error) string {
	var said *refusal
	switch {
	case err == nil:
		return succeeded
	case errors.As(err, &said), problem.From(err).Status < problem.StatusClientClosedRequest:
		return refused
	}
	return failed
}
