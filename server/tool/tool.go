// Package tool implements the tools for language models. Each has one
// definition, which MCP, POST /v1/tools/{name} and GET /v1/tools share. A tool
// translates its input to calls of the memory service; it has no access rules
// of its own.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/search"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

// Family is a group of tools that is enabled or disabled as a whole.
type Family string

// The families, named after the systems whose agents know their tools.
const (
	FamilyMemory      Family = "memory"      // memory: the commands of Robutler and of memory_20250818
	FamilyTriggerfish Family = "triggerfish" // memory_save, memory_search and others
	FamilyMAESTRO     Family = "maestro"     // UpdateUserMemory, ReadUserMemory
	FamilyKeyValue    Family = "kv"          // kv_set, kv_get, kv_delete; deprecated
)

// maxWriters bounds the attempts of an edit while other writers change the
// entry between its read and its write.
const maxWriters = 100

// Options configure Tools. The zero value enables all families.
type Options struct {
	NoMemory, NoTriggerfish, NoMAESTRO, NoKeyValue bool
	// Listed are the default families of lists. nil: the first enabled one of
	// triggerfish, memory, maestro and kv, and with the scope share also memory. The
	// others can be called.
	Listed []Family
	// ValueLimit is the service's limit on one value, in bytes; 0 means its
	// default. The limit on a call's input follows from it.
	ValueLimit int
	// MaxAnswer is the limit on the text of an answer, in bytes; 0 means
	// DefaultAnswer. It is at least MinAnswer.
	MaxAnswer int
	Meter     Meter // default: calls are not counted
	// Market runs searches. Tools without a service need none.
	Market meter.SearchAPI
	// Payments are the payment methods for a search that is paid within the
	// call. nil: none.
	Payments *payment.Methods
}

// Meter counts calls and searches; see server.Metrics.
type Meter interface {
	// ToolCall counts a call of an existing tool. outcome is ok, refused, limited (by
	// a limit or a spent cap), failed, or canceled.
	ToolCall(surface, tool, outcome string, took time.Duration)
	// Search counts an answered search.
	Search(search.Answer)
}

// unmetered counts nothing.
type unmetered struct{}

func (unmetered) ToolCall(string, string, string, time.Duration) {}
func (unmetered) Search(search.Answer)                           {}

// Definition describes a tool to a model and its client. SECURITY: everything
// in it is constant, so that no memory can change a description.
type Definition struct {
	Name        string
	Title       string
	Family      Family
	Description string
	Input       json.RawMessage // JSON Schema of the arguments
	Output      json.RawMessage // JSON Schema of structured results; nil if results are text only
	Unlisted    bool            // it can be called, but no list shows it

	// Hints for clients, as MCP defines them.
	ReadOnly    bool // changes nothing
	Destructive bool // may overwrite or remove
	Idempotent  bool // repeating a call has no further effect
}

// Result is the result of a tool call.
type Result struct {
	Text       string // at most Options.MaxAnswer bytes
	Structured bool   // Text is an object in JSON
	// Object is a structured result whose Text is not JSON; nil: there is none.
	Object  json.RawMessage
	IsError bool // Text is an error message or a payment requirement
	// Settlement is the x402 settlement of the call's payment; nil: the call had
	// none. Payment are the HTTP headers that carry the settlement, or the payment
	// requirements.
	Settlement json.RawMessage
	Payment    http.Header

	cause error // nil unless IsError
}

// ResultOf returns the result of a successful call over REST, whose answer contains
// only the text.
func (d Definition) ResultOf(text string) Result {
	if text == noMemories.Text {
		return noMemories
	}
	return Result{Text: text, Structured: d.Output != nil}
}

// Cause returns the error behind an error result; nil if the call succeeded.
func (r Result) Cause() error { return r.cause }

// ErrNoTool reports that no tool has the name.
var ErrNoTool = errors.New("no such tool")

// tool is a definition with its implementation.
type tool struct {
	Definition
	run func(context.Context, *call) (Result, error)
}

// call runs the tool. In the tool memory, the command decides whether it writes.
func (t *tool) call(ctx context.Context, c *call) (Result, error) {
	if c.idempotencyKey != nil && !t.ReadOnly && t.Family != FamilyMemory {
		return Result{}, errKeyedWrite
	}
	c.readOnly = t.ReadOnly
	r, err := t.run(ctx, c)
	if err == nil {
		c.addIgnored(&r)
	}
	return r, err
}

// call is one call of a tool.
type call struct {
	service *memory.Service
	meter   Meter
	market  meter.SearchAPI
	caller  memory.Caller
	// payments are the payment methods, payment is the call's payment, and settled
	// its settlement, with the receipts of the charges.
	payments *payment.Methods
	payment  *meter.Payment
	settled  *meter.Settled
	receipts []string
	name     string
	input    json.RawMessage
	// idempotencyKey is the call's Idempotency-Key; nil: none.
	idempotencyKey *string
	// maxAnswer is the limit on the text of the result, in bytes.
	maxAnswer int
	readOnly  bool     // the tool changes nothing
	ignored   []string // unknown parameters, as the answer names them
	// parameter maps fields of the service to the caller's names for error
	// messages. Fields that are not in it keep their names.
	parameter map[string]string
}

// search runs a search and counts it.
func (c *call) search(ctx context.Context, r meter.SearchRequest, paged bool) (search.Answer, error) {
	answer, err := c.ask(ctx, r, paged)
	if err == nil {
		c.meter.Search(answer)
	}
	return answer, err
}

// own returns the path of a key in the caller's own store, in the default namespace.
func (c *call) own(key string) memory.Path { return c.ownIn("", key) }

// ownIn is like own, in a namespace.
func (c *call) ownIn(namespace, key string) memory.Path {
	return memory.Path{Store: c.caller.Agent, Namespace: namespace, Key: key}
}

// Tools are the tools over one service.
type Tools struct {
	service  *memory.Service
	market   meter.SearchAPI
	payments *payment.Methods
	meter    Meter
	surface  string // label of the meter
	maxInput int64
	maxText  int // of an answer
	off      map[Family]bool
	listing  []Family // see Options.Listed
	variants map[variant][]tool
}

// New returns the tools of the enabled families.
func New(service *memory.Service, o Options) *Tools {
	t := &Tools{service: service, market: o.Market, payments: o.Payments, meter: o.Meter, maxInput: wire.MaxEscapedBody(o.ValueLimit), maxText: DefaultAnswer}
	if o.MaxAnswer != 0 {
		t.maxText = max(MinAnswer, o.MaxAnswer)
	}
	if t.meter == nil {
		t.meter = unmetered{}
	}
	t.off = map[Family]bool{
		FamilyMemory: o.NoMemory, FamilyTriggerfish: o.NoTriggerfish, FamilyMAESTRO: o.NoMAESTRO, FamilyKeyValue: o.NoKeyValue,
	}
	t.listing, t.variants = o.Listed, make(map[variant][]tool)
	for _, v := range []variant{{}, {sharing: true}, {paying: true}, {sharing: true, paying: true}} {
		all := slices.Concat([]tool{memoryTool(v)}, triggerfish(v), maestro(), keyValue())
		all = slices.DeleteFunc(all, func(one tool) bool { return t.off[one.Family] })
		for i := range all {
			all[i].Unlisted = !slices.Contains(t.listed(v), all[i].Family)
		}
		t.variants[v] = all
	}
	return t
}

// Over returns the same tools, whose calls are counted under a surface's name.
func (t *Tools) Over(surface string) *Tools {
	over := *t
	over.surface = surface
	return &over
}

// MaxInput returns the limit on a call's input, in bytes.
func (t *Tools) MaxInput() int64 { return t.maxInput }

// Definitions returns the definitions of the tools offered to a caller, in a
// stable order, including unlisted ones.
func (t *Tools) Definitions(p acl.Principal) []Definition {
	tools := t.offered(p)
	definitions := make([]Definition, len(tools))
	for i, one := range tools {
		definitions[i] = one.Definition
	}
	return definitions
}

// offered returns the tools offered to a caller.
func (t *Tools) offered(p acl.Principal) []tool {
	return t.variants[variant{sharing: p.Share, paying: p.Spend || t.payments != nil}]
}

// Has reports whether a tool exists.
func (t *Tools) Has(name string) bool {
	return slices.ContainsFunc(t.variants[variant{}], func(one tool) bool { return one.Name == name })
}

// Call calls a tool. input need not be valid JSON. A failed call is a Result
// with IsError; the error is only ErrNoTool, or the context's error if the
// caller disconnected.
func (t *Tools) Call(ctx context.Context, p acl.Principal, name string, input json.RawMessage) (Result, error) {
	return t.Pay(ctx, p, name, input, nil)
}

// Pay calls a tool with a payment for its price; nil is no payment. A free call
// does not use the payment.
func (t *Tools) Pay(ctx context.Context, p acl.Principal, name string, input json.RawMessage, paid *meter.Payment) (Result, error) {
	return t.pay(ctx, p, name, input, paid, nil)
}

// pay is Pay with an Idempotency-Key, nil for none. With a key, the error of a
// writing call is errKeyedWrite, and the error of different input under the same
// key is memory.ErrKeyReused.
func (t *Tools) pay(ctx context.Context, p acl.Principal, name string, input json.RawMessage, paid *meter.Payment, key *string) (Result, error) {
	tools := t.offered(p)
	i := slices.IndexFunc(tools, func(one tool) bool { return one.Name == name })
	if i < 0 {
		return Result{}, ErrNoTool
	}
	// Internal stays false: tools have no access to entries that are not in
	// context.
	c := &call{
		service: t.service, market: t.market, payments: t.payments, meter: t.meter,
		caller: memory.Caller{Principal: p}, idempotencyKey: key, name: name, input: input, maxAnswer: t.maxText,
	}
	if paid != nil {
		own := *paid
		own.Client = server.Client(ctx)
		own.Resource = c.resource()
		c.payment = &own
	}
	start := time.Now()
	outcome := failed // remains if the tool panics
	defer func() { t.meter.ToolCall(t.surface, name, outcome, time.Since(start)) }()
	result, err := tools[i].call(ctx, c)
	outcome = outcomeOf(err)
	var price *search.PaymentError
	switch {
	case err == nil:
		return result, c.settle(&result)
	case errors.Is(err, context.Canceled), errors.Is(err, errKeyedWrite), key != nil && errors.Is(err, memory.ErrKeyReused):
		return Result{}, err
	case errors.As(err, &price):
		return c.priced(price, err)
	default:
		return Result{Text: c.cut(c.textOf(err) + c.hint()), IsError: true, cause: err}, nil
	}
}

// Outcomes of a call, for the meter.
const (
	succeeded = "ok"
	refused   = "refused"  // by a schema, a rule or an access check
	limited   = "limited"  // by a limit or a spent cap
	failed    = "failed"   // internal error
	canceled  = "canceled" // by the client, which disconnected
)

func outcomeOf(err error) string {
	var r *refusal
	switch {
	case err == nil:
		return succeeded
	case errors.Is(err, context.Canceled):
		return canceled
	}
	switch status := problem.From(err).Status; {
	case status == http.StatusTooManyRequests:
		return limited
	case errors.As(err, &r), status < problem.StatusClientClosedRequest:
		return refused
	}
	return failed
}
