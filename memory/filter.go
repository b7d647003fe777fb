package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/internal/period"
	"mneme/lexical"
)

// Filter restricts a search or a listing. The zero value passes everything.
type Filter struct {
	Namespace *string  // nil: all
	Tags      []string // all of them are required
	Type      string   // "": any
	// Where is a condition on the entry that a path resolves to; nil: any.
	Where *condition.Condition
	// Timezone applies to dates and times in Where without a zone. It has the form of
	// period.Zone; "" is UTC.
	Timezone string `json:",omitempty"`
	// Match is a condition on the words of the value, key, description and tags. Only
	// searchable entries match; nil: any entry.
	Match *lexical.Match

	reading *reading // counts and limits what the filter reads of values; nil: no limits
}

// NewMatch makes a Filter.Match from its lists: words or phrases of which all, any or none must
// occur. A list that was not given is nil. The error is a RuleError.
func NewMatch(all, any, none []string) (*lexical.Match, error) {
	match, err := lexical.ParseMatch(all, any, none)
	var broken *lexical.MatchError
	if errors.As(err, &broken) {
		return nil, &RuleError{Field: strings.TrimSuffix("match."+broken.Field, "."), Rule: broken.Rule}
	}
	return match, err
}

// ParseMatch parses the JSON text of Filter.Match. The error is a RuleError.
func ParseMatch(text []byte) (*lexical.Match, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var lists *struct{ All, Any, None []string }
	if err := decoder.Decode(&lists); err != nil || lists == nil || decoder.More() {
		return nil, rule("match", `must be a JSON object of lists of texts: {"all": […], "any": […], "none": […]}`)
	}
	return NewMatch(lists.All, lists.Any, lists.None)
}

// ParseWhere parses the JSON text of Filter.Where. The error is a RuleError.
func ParseWhere(text []byte) (*condition.Condition, error) {
	where, err := condition.Parse(text)
	var broken *condition.Error
	if errors.As(err, &broken) {
		return nil, &RuleError{Field: "where" + broken.Place, Rule: broken.Rule}
	}
	return where, err
}

// Empty reports whether the filter passes everything.
func (f Filter) Empty() bool {
	return f.Namespace == nil && len(f.Tags) == 0 && f.Type == "" && f.Where == nil && f.Match == nil
}

// The names of a filter's options in requests.
const (
	OptionNamespace = "namespace"
	OptionTags      = "tags"
	OptionType      = "type"
	OptionWhere     = "where"
	OptionTimezone  = "timezone"
	OptionMatch     = "match"
)

// FilterOption is one option of a filter, with a filter that has only this option.
type FilterOption struct {
	Name string
	Filter
}

// Options returns the options that the filter has. Values that the returned filters read count
// towards the limits of f.
func (f Filter) Options() []FilterOption {
	var has []FilterOption
	for _, o := range []FilterOption{
		{OptionNamespace, Filter{Namespace: f.Namespace}}, {OptionTags, Filter{Tags: f.Tags}}, {OptionType, Filter{Type: f.Type}},
		{OptionWhere, Filter{Where: f.Where}}, {OptionMatch, Filter{Match: f.Match}},
	} {
		if !o.Empty() {
			o.reading = f.reading
			has = append(has, o)
		}
	}
	return has
}

// Condition returns the filter as one condition; nil if it passes everything.
func (f Filter) Condition() *condition.Condition {
	var all []*condition.Condition
	if f.Namespace != nil {
		all = append(all, condition.Compare(condition.Namespace, condition.Eq, condition.Text(*f.Namespace)))
	}
	if f.Type != "" {
		all = append(all, condition.Compare(condition.EntryType, condition.Eq, condition.Text(f.Type)))
	}
	for _, tag := range f.Tags {
		all = append(all, condition.Compare(condition.Tags, condition.Contains, condition.Text(tag)))
	}
	return condition.All(append(all, f.Where)...)
}

// At returns the filter with its relative times resolved at an instant, and its local times in
// its zone, or in UTC if the zone is unknown, which Check refuses.
func (f Filter) At(now time.Time) Filter {
	zone, err := period.Zone(f.Timezone)
	if err != nil {
		zone = time.UTC
	}
	f.Where = f.Where.At(now, zone)
	return f
}

// parseZone returns the zone of a request's option timezone. The error is a RuleError.
func parseZone(name string) (*time.Location, error) {
	zone, err := period.Zone(name)
	if err != nil {
		return nil, rule(OptionTimezone, "%s", err)
	}
	return zone, nil
}

// Searchable returns the filter restricted to entries that a search finds.
func (f Filter) Searchable() Filter {
	f.Where = condition.All(f.Where, condition.Compare(condition.Encrypted, condition.Eq, condition.Bool(false)))
	return f
}

// within returns the filter restricted to entries whose keys have a prefix and whose paths are
// after a position. A nil position is before all entries.
func (f Filter) within(prefix string, after *listPosition) Filter {
	if prefix != "" {
		f.Where = condition.All(f.Where, condition.Compare(condition.Key, condition.Prefix, condition.Text(prefix)))
	}
	if after != nil {
		namespace, key := condition.Text(after.Namespace), condition.Text(after.Key)
		f.Where = condition.All(f.Where, condition.Any(
			condition.Compare(condition.Namespace, condition.Gt, namespace),
			condition.All(condition.Compare(condition.Namespace, condition.Eq, namespace), condition.Compare(condition.Key, condition.Gt, key))))
	}
	return f
}

// CheckPrefixes refuses prefixes of Match that match too many words in a store of the scope.
func (f Filter) CheckPrefixes(ctx context.Context, tx LexicalLeg, scope acl.Scope, now time.Time) error {
	for _, prefix := range f.Match.Prefixes() {
		many, err := tx.ManyTerms(ctx, scope, TermQuery{prefix.Text, now, lexical.MaxPrefixTerms})
		if err != nil {
			return err
		}
		if many {
			return rule("match."+prefix.Field, "stands for more than %d words in a store", lexical.MaxPrefixTerms)
		}
	}
	return nil
}

// Check checks the filter. The error is a RuleError.
func (f Filter) Check() error {
	if f.Namespace != nil {
		if err := CheckNamespace(*f.Namespace); err != nil {
			return err
		}
	}
	if err := CheckTags(f.Tags); err != nil {
		return err
	}
	if err := CheckType(f.Type); err != nil {
		return err
	}
	_, err := parseZone(f.Timezone)
	return err
}

// Fields returns the entry as a condition reads it. Its value counts as unknown if the entry
// was read without it.
func (e *Entry) Fields() condition.Entry {
	fields := condition.Entry{
		Key: e.Key, Namespace: e.Namespace, Type: e.Type, Tags: e.Tags, OwnerID: e.Owner, UpdatedBy: e.UpdatedBy,
		Label: e.Label, Encrypted: e.Encrypted, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, Value: e.Value,
	}
	if !e.OccurredAt.IsZero() {
		fields.OccurredAt, fields.Dated = &e.OccurredAt.Time, e.OccurredAt.Dated()
	}
	if !e.ExpiresAt.IsZero() {
		fields.ExpiresAt = &e.ExpiresAt
	}
	return fields
}

// Judge returns a function that reports whether an entry, read with its value, passes the
// filter.
func (f Filter) Judge() func(*Entry) bool {
	where := f.Condition()
	return func(e *Entry) bool {
		if where != nil {
			if fields := e.Fields(); !where.Fits(&fields) {
				return false
			}
		}
		return f.Match == nil || e.Searchable() && f.Match.Matches(e.Texts()...)
	}
}

// Passing returns the given entries of a scope that pass the filter, in order. The entries may
// have been read without values.
func (f Filter) Passing(ctx context.Context, tx CandidateReader, scope acl.Scope, entries []*Entry) ([]*Entry, error) {
	where := f.Condition()
	if where == nil && f.Match == nil {
		return entries, nil
	}
	passed := make(map[uuid.UUID]bool)
	var unsure []uuid.UUID
	for _, e := range entries {
		verdict := condition.Yes
		if where != nil {
			fields := e.Fields()
			verdict = where.Judge(&fields)
		}
		if f.Match != nil && verdict == condition.Yes {
			verdict = condition.Unknown
		}
		switch verdict {
		case condition.Yes:
			passed[e.ID] = true
		case condition.Unknown:
			unsure = append(unsure, e.ID)
		case condition.No:
		}
	}
	if len(unsure) > 0 {
		ids, _, err := f.Matching(ctx, tx, scope, unsure, len(unsure))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			passed[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return !passed[e.ID] }), nil
}
