package rest

import (
	"encoding/json"
	"strings"

	"mneme/memory"
	"mneme/server/compress"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// conditions parses If-Match and If-None-Match.
func conditions(match *api.IfMatch, noneMatch *api.IfNoneMatch) (memory.Preconditions, error) {
	var p memory.Preconditions
	var err error
	if match != nil {
		// If-Match compares strongly: a weak tag never matches (RFC 9110 §13.1.1).
		if p.Match, err = entityTags("If-Match", *match, false); err != nil {
			return memory.Preconditions{}, err
		}
	}
	if noneMatch != nil {
		if p.NoneMatch, err = entityTags("If-None-Match", *noneMatch, true); err != nil {
			return memory.Preconditions{}, err
		}
	}
	return p, nil
}

// entityTags parses "*" or a list of entity tags (RFC 9110 §8.8.3) and returns their
// opaque parts. It includes weak tags only if weakToo is set. It returns the tag of a
// compressed answer twice: unchanged, and without the suffix. The result is never nil.
func entityTags(header, text string, weakToo bool) ([]string, error) {
	malformed := problem.In(problem.Malformed, header, `must be * or a list of quoted entity tags`)
	tags := []string{}
	rest := strings.Trim(text, " \t")
	if rest == "*" {
		return []string{"*"}, nil
	}
	some := false
	for rest != "" {
		if rest[0] == ',' { // empty elements are allowed (RFC 9110 §5.6.1)
			rest = strings.TrimLeft(rest[1:], " \t")
			continue
		}
		weak := strings.HasPrefix(rest, "W/")
		opaque, after, ok := quoted(strings.TrimPrefix(rest, "W/"))
		if !ok || after != "" && after[0] != ',' {
			return nil, malformed
		}
		some = true
		// A quoted star is a tag that no entry has; an unquoted one matches any
		// entry.
		if (!weak || weakToo) && opaque != "*" {
			tags = append(tags, opaque)
			if base := compress.BaseTag(opaque); base != opaque {
				tags = append(tags, base)
			}
		}
		rest = after
	}
	if !some {
		return nil, malformed
	}
	return tags, nil
}

// quoted parses the quoted tag at the start of text.
func quoted(text string) (opaque, after string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return text[1:i], strings.TrimLeft(text[i+1:], " \t"), true
		case c == 0x21 || c >= 0x23 && c != 0x7f: // etagc
		default:
			return "", "", false
		}
	}
	return "", "", false
}

func quote(etag string) string { return `"` + etag + `"` }

// replay returns what identifies a repetition of a call; nil without an Idempotency-Key.
// operation is the method and route template, path the values of the template's parameters, and
// body the decoded body.
func (s *Surface) replay(key *api.IdempotencyKey, operation string, path []string, body any) (*memory.Idempotency, error) {
	if key == nil {
		return nil, nil
	}
	call, err := s.callOf(key, operation, path, body)
	return &call, err
}

// callOf identifies a call, as replay does, with or without an Idempotency-Key.
func (s *Surface) callOf(key *api.IdempotencyKey, operation string, path []string, body any) (memory.Idempotency, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return memory.Idempotency{}, err
	}
	call := memory.Idempotency{
		Operation: operation, Path: s.service.Secret().Digest(append([]string{"path"}, path...)...),
		Digest: s.service.Secret().Digest("body", string(text)),
	}
	if key == nil {
		return call, nil
	}
	if err := wire.CheckIdempotencyKey(*key); err != nil {
		return memory.Idempotency{}, err
	}
	call.Key = s.service.Secret().Digest("key", *key)
	return call, nil
}
