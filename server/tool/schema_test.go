package tool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
)

// The keywords that the converters of all clients accept. Others are refused or change the
// input that a model may send: google-genai fails on a boolean additionalProperties,
// autogen-ext on a property without a type.
var schemaKeywords = map[string][]string{
	"string":  {"type", "description", "enum", "pattern"},
	"integer": {"type", "description", "minimum", "maximum"},
	"number":  {"type", "description", "minimum", "maximum"},
	"boolean": {"type", "description"},
	"array":   {"type", "description", "items"},
	"object":  {"type", "description", "properties", "required"},
}

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestSchemasAreOnesThatEveryClientTakes(t *testing.T) {
	h := open(t)
	for _, d := range slices.Concat(h.Definitions(alice), h.Definitions(sharer)) {
		if !schemaName.MatchString(d.Name) || len(d.Description) > 1024 {
			t.Errorf("%s: its name, or a description of %d bytes", d.Name, len(d.Description))
		}
		for way, schema := range map[string]json.RawMessage{"input": d.Input, "output": d.Output} {
			var root map[string]any
			if schema == nil {
				continue
			}
			if err := json.Unmarshal(schema, &root); err != nil || root["type"] != "object" || root["properties"] == nil {
				t.Errorf("%s %s: %v, or no object with properties", d.Name, way, err)
			}
			for _, fault := range schemaFaults(d.Name+" "+way, root) {
				t.Error(fault)
			}
		}
	}
}

// schemaFaults returns the parts that some client's converter would refuse.
func schemaFaults(at string, schema map[string]any) (faults []string) {
	kind, _ := schema["type"].(string) // a list of types is not a string
	allowed, known := schemaKeywords[kind]
	if !known {
		return []string{at + ": has not one type"}
	}
	for keyword := range schema {
		if !slices.Contains(allowed, keyword) {
			faults = append(faults, at+": "+keyword+" of a "+kind)
		}
	}
	if kind == "array" {
		items, _ := schema["items"].(map[string]any)
		faults = append(faults, schemaFaults(at+"[]", items)...)
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		one, _ := properties[name].(map[string]any)
		if !schemaName.MatchString(name) {
			faults = append(faults, at+": the name "+name)
		}
		faults = append(faults, schemaFaults(at+"."+name, one)...)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if text, _ := name.(string); properties[text] == nil {
			faults = append(faults, fmt.Sprintf("%s: requires %v, which is no property", at, name))
		}
	}
	return faults
}

func TestSchemasThatSomeClientsRefuseAreFound(t *testing.T) {
	for name, text := range map[string]string{
		"closed":        `{"type": "object", "properties": {}, "additionalProperties": false}`,
		"no type":       `{"type": "object", "properties": {"a": {}}}`,
		"two types":     `{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}`,
		"alternatives":  `{"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}}`,
		"a reference":   `{"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}`,
		"no items":      `{"type": "object", "properties": {"a": {"type": "array"}}}`,
		"in items":      `{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "additionalProperties": true}}}}`,
		"requires more": `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}`,
		"a bound":       `{"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}`,
		"a name":        `{"type": "object", "properties": {"a b": {"type": "string"}}}`,
	} {
		var schema map[string]any
		if err := json.Unmarshal([]byte(text), &schema); err != nil || len(schemaFaults("it", schema)) == 0 {
			t.Errorf("%s: no fault was found, %v", name, err)
		}
	}
}
