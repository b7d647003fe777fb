package mcp

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// bothTypes is what the SDK asks for in the header Accept of a message. Answers are JSON, so
// that a client need not take the other one.
const bothTypes = "application/json, text/event-stream"

// lenient returns the request of a message with headers as the SDK expects them: any Accept
// that allows JSON, or none, will do, a body without type is JSON, and a name may be coded.
func lenient(r *http.Request) *http.Request {
	accept, typed := allowsJSON(r.Header.Values("Accept")), r.Header.Get("Content-Type") != ""
	name, coded := codedName(r.Header.Get(nameHeader))
	if !accept && typed && !coded {
		return r
	}
	r = r.Clone(r.Context())
	if coded {
		r.Header.Set(nameHeader, name)
	}
	if accept {
		r.Header.Set("Accept", bothTypes)
	}
	if !typed {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// jsonRanges are the media ranges that JSON fits, the most exact the highest.
var jsonRanges = map[string]int{"*/*": 1, "application/*": 2, "application/json": 3}

// allowsJSON reports whether the values of a header Accept allow JSON (RFC 9110, §12.5.1):
// the most exact range that fits decides.
func allowsJSON(values []string) bool {
	all := strings.Join(values, ",")
	exact, allowed := 0, strings.Trim(all, ", \t") == ""
	for item := range strings.SplitSeq(all, ",") {
		kind, parameters, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		fits := jsonRanges[kind]
		if fits <= exact {
			continue
		}
		weight, err := strconv.ParseFloat(parameters["q"], 64)
		exact, allowed = fits, err != nil || weight > 0
	}
	return allowed
}

// nameHeader names the tool or resource of a message, by the revisions without sessions.
const nameHeader = "Mcp-Name"

// codedName returns the name in a header Mcp-Name that is coded in Base64 between =?base64?
// and ?=. The SDK compares the header with the name as it stands.
func codedName(header string) (name string, ok bool) {
	coded, ok := strings.CutPrefix(header, "=?base64?")
	if !ok {
		return "", false
	}
	if coded, ok = strings.CutSuffix(coded, "?="); !ok {
		return "", false
	}
	text, err := base64.StdEncoding.DecodeString(coded)
	return string(text), err == nil
}
