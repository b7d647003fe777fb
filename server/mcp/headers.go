package mcp

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// bothTypes is the Accept header that the SDK requires. Answers are JSON, so clients need
// not accept event streams.
const bothTypes = "application/json, text/event-stream"

// lenient returns the request of a message with the headers that the SDK expects. It
// accepts any Accept that allows JSON or is absent, a body without Content-Type as JSON,
// and an encoded name.
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

// jsonRanges maps the media ranges that match JSON to their specificity.
var jsonRanges = map[string]int{"*/*": 1, "application/*": 2, "application/json": 3}

// allowsJSON reports whether the values of an Accept header allow JSON (RFC 9110,
// §12.5.1): the most specific matching range decides.
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

// nameHeader names the tool or resource of a message, in protocol revisions without
// sessions.
const nameHeader = "Mcp-Name"

// codedName returns the name in an Mcp-Name header that is encoded in Base64 between
// =?base64? and ?=. The SDK compares the header with the name literally.
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
