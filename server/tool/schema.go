package tool

import (
	"encoding/json"
	"fmt"
	"math"

	"mneme/meter"
	"mneme/server/wire"
)

// property is the JSON Schema of one parameter. It has one type, a one-line description and,
// for a number, bounds from the constants that the call enforces. Schemas contain no
// additionalProperties, references or alternatives, since model APIs differ in their support.
type property map[string]any

func text(about string, options ...string) property {
	p := property{"type": "string", "description": about}
	if options != nil {
		p["enum"] = options
	}
	return p
}

func flag(about string) property { return property{"type": "boolean", "description": about} }

func texts(about string) property {
	return property{"type": "array", "description": about, "items": property{"type": "string"}}
}

func object(about string) property { return property{"type": "object", "description": about} }

// whole is an integer of at least least, and at most most unless most is math.MaxInt.
func whole(about string, least, most int) property {
	p := property{"type": "integer", "description": about, "minimum": least}
	if most != math.MaxInt {
		p["maximum"] = most
	}
	return p
}

// portion is a number from 0 to 1.
func portion(about string) property {
	return property{"type": "number", "description": about, "minimum": 0, "maximum": 1}
}

// properties are the parameters of a tool by name.
type properties map[string]property

// schema returns the JSON Schema of an object with these properties.
func (p properties) schema(required ...string) json.RawMessage {
	s := map[string]any{"type": "object", "properties": p}
	if len(required) > 0 {
		s["required"] = required
	}
	schema, err := wire.Marshal(s)
	if err != nil { // maps of strings and numbers always marshal
		panic(err)
	}
	return schema
}

// Parameters shared by several tools.
var (
	keyProperty       = text("As user/name.")
	namespaceProperty = text("Default: none.")
	tagsProperty      = texts("All its tags.")
	occurredProperty  = text("When: 2023 or 2023-05-08.")
	asOfProperty      = text("A past time.")
	offsetProperty    = whole("A next_offset.", 0, math.MaxInt)
	cursorProperty    = text("A next_cursor.")
)

// searchProperties are the parameters of a search. A list contains those that models
// choose; calls may use all of docs/search.md. The purchase parameters are included if
// the caller can pay.
func searchProperties(paying bool) properties {
	p := properties{
		"query":         text("A question in plain words."),
		"where":         object(`Filter, as {"updated_at":{"gte":"now-7d"}}.`),
		"tags":          tagsProperty,
		"min_relevance": portion(fmt.Sprintf("Default %v.", DefaultMinRelevance)),
		"as_of":         asOfProperty,
	}
	if paying {
		p["max_charge"] = whole("At most to pay, in micros.", 0, meter.MaxAmount)
		p["offer"] = text("Id of an offer to buy of.")
	}
	return p
}
