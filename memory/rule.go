package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mneme/internal/condition"
)

// Limits of an entry's parts that cannot be configured.
const (
	MaxKey         = 512  // bytes
	MaxNamespace   = 256  // bytes
	MaxDescription = 300  // characters
	MaxTags        = 32   // of one entry
	MaxTag         = 64   // bytes
	MaxSource      = 2000 // bytes of JSON
	MaxDepth       = 100  // of nested arrays and objects in a value
	MaxTTL         = 100 * 365 * 24 * time.Hour
)

// Types are the types that an entry may have. An entry may also have none.
var Types = condition.EntryTypes

// CheckKey checks a key.
func CheckKey(key string) error {
	if len(key) < 1 || len(key) > MaxKey {
		return rule("key", "must have 1 to %d bytes", MaxKey)
	}
	if err := checkName("key", key); err != nil {
		return err
	}
	for segment := range strings.SplitSeq(key, "/") {
		switch segment {
		case "":
			return rule("key", "must have no leading or trailing '/' and no empty segment")
		case ".", "..":
			return rule("key", "must have no segment '.' or '..'")
		}
	}
	return nil
}

// CheckNamespace checks a namespace; "" is the default one.
func CheckNamespace(namespace string) error {
	if len(namespace) > MaxNamespace {
		return rule("namespace", "must have at most %d bytes", MaxNamespace)
	}
	return checkName("namespace", namespace)
}

// checkName checks the rules for keys, namespaces and tags.
func checkName(field, name string) error {
	if !utf8.ValidString(name) {
		return rule(field, "must be valid UTF-8")
	}
	for _, r := range name {
		if unprintable(r) {
			return rule(field, "must have no control, format or line-separator characters")
		}
	}
	if !norm.NFC.IsNormalString(name) {
		return rule(field, "must be in Unicode normalization form C")
	}
	return nil
}

// unprintable reports whether r is a control, format or line-separator character.
func unprintable(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// CheckPath checks the namespace and key of a path.
func CheckPath(p Path) error {
	if err := CheckNamespace(p.Namespace); err != nil {
		return err
	}
	return CheckKey(p.Key)
}

// CheckType checks an entry's type; "" is none.
func CheckType(t string) error {
	if t == "" {
		return nil
	}
	for _, known := range Types {
		if t == known {
			return nil
		}
	}
	return rule("type", "must be one of %s, or empty", strings.Join(Types, ", "))
}

// CheckDescription checks an entry's description.
func CheckDescription(d string) error {
	if !utf8.ValidString(d) {
		return rule("description", "must be valid UTF-8")
	}
	if utf8.RuneCountInString(d) > MaxDescription {
		return rule("description", "must have at most %d characters", MaxDescription)
	}
	for _, r := range d {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return rule("description", "must be one line without control characters")
		}
	}
	return nil
}

// CheckTags checks an entry's tags.
func CheckTags(tags []string) error {
	if len(tags) > MaxTags {
		return rule("tags", "must be at most %d", MaxTags)
	}
	for _, tag := range tags {
		if len(tag) < 1 || len(tag) > MaxTag {
			return rule("tags", "each must have 1 to %d bytes", MaxTag)
		}
		if err := checkName("tags", tag); err != nil {
			return err
		}
	}
	return nil
}

// CheckTTL checks a time to live: from 0, which means none, to 100 years.
func CheckTTL(ttl time.Duration) error {
	if ttl < 0 || ttl > MaxTTL {
		return rule("ttl", "must be 0 to %d seconds", int64(MaxTTL/time.Second))
	}
	return nil
}

func (s *Service) checkValue(value json.RawMessage) error {
	switch {
	case len(value) == 0:
		return rule("value", "must be given")
	case len(value) > s.limits.Value:
		return &RuleError{Field: "value", Rule: fmt.Sprintf("must have at most %d bytes", s.limits.Value), TooLarge: true}
	case !utf8.Valid(value):
		return rule("value", "must be valid UTF-8")
	case !json.Valid(value):
		return rule("value", "must be a JSON value")
	case depth(value) > MaxDepth:
		return rule("value", "must nest at most %d deep", MaxDepth)
	}
	return nil
}

// depth returns the nesting depth of arrays and objects in a valid JSON value.
func depth(value []byte) int {
	now, deepest, quoted := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			now++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return deepest
}

func checkSource(source json.RawMessage) error {
	if len(source) > MaxSource {
		return rule("source", "must have at most %d bytes", MaxSource)
	}
	if source != nil && !(utf8.Valid(source) && json.Valid(source)) {
		return rule("source", "must be a JSON value")
	}
	return nil
}

// checkPut performs the checks of a write that need no rows.
func (s *Service) checkPut(r PutRequest) error {
	if err := CheckPath(r.Path); err != nil {
		return err
	}
	if err := s.checkValue(r.Value); err != nil {
		return err
	}
	if r.Type != nil {
		if err := CheckType(*r.Type); err != nil {
			return err
		}
	}
	if r.Description != nil {
		if err := CheckDescription(*r.Description); err != nil {
			return err
		}
	}
	if r.Tags != nil {
		if err := CheckTags(*r.Tags); err != nil {
			return err
		}
	}
	if r.TTL != nil {
		if err := CheckTTL(*r.TTL); err != nil {
			return err
		}
	}
	if r.ExpiresAt != nil {
		if r.TTL != nil {
			return rule("expires_at", "must not be given together with ttl")
		}
		if ahead := r.ExpiresAt.Sub(s.now()); ahead <= 0 || ahead > MaxTTL {
			return rule("expires_at", "must be in the future, at most %d seconds ahead", int64(MaxTTL/time.Second))
		}
	}
	if _, err := parseZone(r.Timezone); err != nil {
		return err
	}
	if r.OccurredAt != nil {
		if _, err := r.moment(); err != nil {
			return err
		}
	}
	return checkSource(r.Source)
}

// CheckLimit checks the limit of a page.
func CheckLimit(limit int) error {
	if limit < 1 || limit > 100 {
		return rule("limit", "must be 1 to 100")
	}
	return nil
}
