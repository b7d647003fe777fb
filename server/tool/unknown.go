package tool

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mneme/internal/edit"
	"mneme/server/wire"
)

// parametersOf lists the members of the small object parameters.
var parametersOf = map[string][]string{"recency": {"half_life", "weight"}}

// refuseUnknown returns the error for an unknown parameter. It names the parameter that
// was likely meant, or otherwise all parameters.
func (c *call) refuseUnknown(name string, into arguments) error {
	prefix, last := "", name
	known := c.known(into)
	if i := strings.LastIndexByte(name, '.'); i >= 0 && parametersOf[name[:i]] != nil {
		prefix, last, known = name[:i+1], name[i+1:], parametersOf[name[:i]]
	}
	text := "Error: unknown parameter"
	if wire.PlainName(name) {
		text += " `" + name + "`"
	}
	if meant := meantBy(last, known); meant != nil {
		return refuse("%s; did you mean `%s`?", text, prefix+strings.Join(meant, "` or `"+prefix))
	}
	return refuse("%s; it takes %s", text, strings.Join(known, ", "))
}

// known returns the sorted names of a call's parameters. It omits search parameters
// if the call is another command.
func (c *call) known(into arguments) []string {
	names := slices.Sorted(maps.Keys(into))
	var of struct{ Command, Action string }
	if into["command"] == nil || json.Unmarshal(c.input, &of) != nil {
		return names
	}
	if command := cmp.Or(of.Command, of.Action, "search"); command != "search" {
		searches := new(searchOptions).add(arguments{"limit": nil})
		names = slices.DeleteFunc(names, func(name string) bool { _, ok := searches[name]; return ok })
	}
	return names
}

// meantBy returns the known names that an unknown one may mean, or nil.
func meantBy(name string, known []string) []string {
	for _, other := range otherNames[strings.ToLower(name)] {
		if slices.Contains(known, other) {
			return []string{other}
		}
	}
	return edit.Nearest(name, known)
}

// The parameters that an alias in otherNames may mean. It means the first one that the called
// tool has.
var (
	aLimit     = []string{"max_results", "limit", "length"}
	aCondition = []string{"where", "tags", "tag"}
	aTime      = []string{"where", "occurred_at"}
	aQuestion  = []string{"query"}
	aText      = []string{"query", "content", "body", "value"}
	aName      = []string{"key", "name", "path"}
)

// otherNames are names by which models and programs call parameters, in lower
// case.
var otherNames = map[string][]string{
	"limit": aLimit, "max_results": aLimit, "top_k": aLimit, "topk": aLimit, "k": aLimit, "n": aLimit, "count": aLimit, "num_results": aLimit,
	"n_results": aLimit, "page_size": aLimit, "size": aLimit,
	"filter": aCondition, "filters": aCondition, "condition": aCondition, "conditions": aCondition, "tags": aCondition, "tag": aCondition,
	"labels": aCondition, "categories": aCondition, "category": aCondition, "type": aCondition, "namespace": aCondition, "metadata": aCondition,
	"created_at": aTime, "created_after": aTime, "created_before": aTime, "updated_at": aTime, "updated_after": aTime, "updated_before": aTime,
	"since": aTime, "until": aTime, "after": aTime, "before": aTime, "start_date": aTime, "end_date": aTime, "start_time": aTime,
	"end_time": aTime, "date": aTime, "time": aTime, "timestamp": aTime, "when": aTime, "date_range": aTime,
	"q": aQuestion, "question": aQuestion, "search": aQuestion, "search_query": aQuestion, "prompt": aQuestion,
	"text": aText, "value": aText, "data": aText, "body": aText, "content": aText, "memory": aText, "message": aText, "fact": aText, "note": aText,
	"id": aName, "key": aName, "name": aName, "path": aName, "memory_id": aName, "memory_key": aName, "filename": aName, "file": aName,
	"store": {"stores"}, "store_id": {"stores", "store"}, "score": {"min_relevance"}, "threshold": {"min_relevance"}, "min_score": {"min_relevance"},
	"page": {"cursor", "offset"}, "page_token": {"cursor"}, "next_cursor": {"cursor"}, "next_offset": {"offset"},
	"old_text": {"old_str"}, "new_text": {"new_str"}, "lines": {"view_range"}, "line": {"insert_line"}, "from": {"old_path", "where"}, "to": {"new_path", "where"},
	"expires_in": {"ttl"}, "expiry": {"ttl"}, "words": {"match"}, "keywords": {"match"}, "grantee": {"agent"},
}
