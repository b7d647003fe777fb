package mcp

import (
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// bothTypes is what the SDK asks for in the header Accept of a message. Answers are JSON, so
// that a client need not take the other one.
const bothTypes = "application/json, text/event-stream"

// lenient returns the request of a message with headers as the SDK expects them: any Accept
// that allows JSON, or none, will do, and a body without type is JSON. The name localhost
// has any case and may end in a dot.
func lenient(r *http.Request) *http.Request {
	host := localhost(r.Host)
	accept, typed := allowsJSON(r.Header.Values("Accept")), r.Header.Get("Content-Type") != ""
	if !accept && typed && host == r.Host {
		return r
	}
	r = r.Clone(r.Context())
	r.Host = host
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

// localhost returns a host with its port, in the form that the SDK knows if it is localhost.
func localhost(host string) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	if !strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") {
		return host
	}
	if port == "" {
		return "localhost"
	}
	return net.JoinHostPort("localhost", port)
}
