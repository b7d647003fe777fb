package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/condition"
)

// Filter restricts a search or a listing. The zero value passes everything.
type Filter struct {
	Namespace *string  // nil: all
	Tags      []string // all of them
	Type      string   // "": any
	// Where judges the entry that a path resolves to. nil: any.
	Where *condition.Condition
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
	return f.Namespace == nil && len(f.Tags) == 0 && f.Type == "" && f.Where == nil
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

// at returns the filter with its relative times as of an instant.
func (f Filter) at(now time.Time) Filter {
	f.Where = f.Where.At(now)
	return f
}

// searchable returns the filter for the entries that a search finds.
func (f Filter) searchable() Filter {
	f.Where = condition.All(f.Where, condition.Compare(condition.Encrypted, condition.Eq, condition.Bool(false)))
	return f
}

// within returns the filter for the entries after a position, nil for all, whose
// keys have a prefix.
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

func (f Filter) check() error {
	if f.Namespace != nil {
		if err := CheckNamespace(*f.Namespace); err != nil {
			return err
		}
	}
	if err := CheckTags(f.Tags); err != nil {
		return err
	}
	return CheckType(f.Type)
}

// Fields returns what conditions see of the entry. Its value is known unless the
// entry was read without.
func (e *Entry) Fields() condition.Entry {
	fields := condition.Entry{
		Key: e.Key, Namespace: e.Namespace, Type: e.Type, Tags: e.Tags, OwnerID: e.Owner, UpdatedBy: e.UpdatedBy,
		Label: e.Label, Encrypted: e.Encrypted, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, Value: e.Value,
	}
	if !e.OccurredAt.IsZero() {
		fields.OccurredAt = &e.OccurredAt.Time
	}
	if !e.ExpiresAt.IsZero() {
		fields.ExpiresAt = &e.ExpiresAt
	}
	return fields
}

// passing returns those of some entries of a scope, which may be read without
// values, that pass the filter, in their order.
func (f Filter) passing(ctx context.Context, tx CandidateReader, scope acl.Scope, entries []*Entry) ([]*Entry, error) {
	where := f.Condition()
	if where == nil {
		return entries, nil
	}
	passed := make(map[uuid.UUID]bool)
	var unsure []uuid.UUID
	for _, e := range entries {
		fields := e.Fields()
		switch where.Judge(&fields) {
		case condition.Yes:
			passed[e.ID] = true
		case condition.Unknown:
			unsure = append(unsure, e.ID)
		case condition.No:
		}
	}
	if len(unsure) > 0 {
		ids, _, err := tx.Matching(ctx, scope, f, unsure, len(unsure))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			passed[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return !passed[e.ID] }), nil
}
