package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/clients/go/api"
	"mneme/internal/period"
	"mneme/memory"
)

// filterFlags restrict a search or a listing. They are named like the API's options.
type filterFlags struct {
	namespace nullable
	tags      []string
	kind      string
	where     whereFlag
	zone      zoneFlag
	since     sinceFlag
	match     matchFlag
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&f.namespace, "namespace", `only this namespace ("" is the default one)`)
	flags.StringSliceVar(&f.tags, "tags", nil, "only entries with all of these tags")
	flags.StringVar(&f.kind, "type", "", "only entries of this type")
	f.where.add(cmd)
	f.zone.add(cmd, "of dates and times in --where and --since that have none")
	flags.Var(&f.since, "since", "only entries of this time on: 7d (s m h d w), a date (2026-05-01, 2026-05, 2026), or a time in RFC 3339; of when they occurred, or else were last changed")
	f.match.add(cmd)
	completeWith(cmd, "type", memory.Types...)
}

// restrict adds the filter to a search.
func (f *filterFlags) restrict(q *api.Question) {
	q.Namespace = f.namespace.text
	if len(f.tags) > 0 {
		q.Tags = &f.tags
	}
	if f.kind != "" {
		q.Type = &f.kind
	}
	if where := f.since.and(f.where); where != "" {
		q.Where = new(api.Condition(where))
	}
	q.Timezone = f.zone.param()
	if f.match != "" {
		q.Match = new(api.Words(f.match))
	}
}

// listing returns the filter as parameters of a listing.
func (f *filterFlags) listing() *api.ListMemoriesParams {
	params := &api.ListMemoriesParams{Namespace: f.namespace.text}
	if len(f.tags) > 0 {
		params.Tag = &f.tags
	}
	if f.kind != "" {
		params.Type = &f.kind
	}
	where := f.since.and(f.where)
	params.Where = where.param()
	params.Timezone = f.zone.param()
	params.Match = f.match.param()
	return params
}

// whereFlag is a condition in JSON; "" is none.
type whereFlag string

func (w *whereFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(w, "where", `only entries that fit this condition, in JSON: '{"updated_at": {"gte": "now-7d"}}'`)
}

// param returns the condition as a parameter of the API.
func (w *whereFlag) param() *api.Where {
	if *w == "" {
		return nil
	}
	return new(api.Where(*w))
}

// String, Set and Type implement pflag.Value.
func (w *whereFlag) String() string { return string(*w) }

// Set returns an error unless text is a condition.
func (w *whereFlag) Set(text string) error {
	*w = whereFlag(text)
	_, err := memory.ParseWhere([]byte(text))
	return err
}

// Type returns the name of the value in the help.
func (w *whereFlag) Type() string { return "condition" }

// zoneFlag is a time zone in the format of conditions; "" is UTC.
type zoneFlag string

func (z *zoneFlag) add(cmd *cobra.Command, use string) {
	cmd.Flags().Var(z, "timezone", "time zone "+use+": Europe/Berlin or +02:00 (default UTC)")
}

// param returns the zone as a parameter of the API.
func (z *zoneFlag) param() *api.Timezone {
	if *z == "" {
		return nil
	}
	return new(api.Timezone(*z))
}

// location returns the zone.
func (z *zoneFlag) location() *time.Location {
	zone, err := period.Zone(string(*z))
	if err != nil {
		panic(err) // Set rejected it
	}
	return zone
}

// String, Set and Type implement pflag.Value.
func (z *zoneFlag) String() string { return string(*z) }

// Set returns an error unless text is a time zone.
func (z *zoneFlag) Set(text string) error {
	_, err := period.Zone(text)
	*z = zoneFlag(text)
	return err
}

// Type returns the name of the value in the help.
func (z *zoneFlag) Type() string { return "zone" }

// sinceFlag is a time in the format of conditions; "" is none.
type sinceFlag string

// and returns the condition that an entry fits both where and the condition of s.
func (s *sinceFlag) and(where whereFlag) whereFlag {
	switch {
	case *s == "":
		return where
	case where == "":
		return s.condition()
	}
	return `{"and": [` + where + `, ` + s.condition() + `]}`
}

// condition holds for entries that occurred at the time or later; for entries without a
// time of occurrence, if they were changed then or later.
func (s *sinceFlag) condition() whereFlag {
	from := fmt.Sprintf(`{"gte": %q}`, string(*s))
	return whereFlag(`{"or": [{"occurred_at": ` + from + `}, {"occurred_at": {"exists": false}, "updated_at": ` + from + `}]}`)
}

// String, Set and Type implement pflag.Value.
func (s *sinceFlag) String() string { return string(*s) }

// Set returns an error unless text is a time.
func (s *sinceFlag) Set(text string) error {
	for _, form := range []string{"now-" + text, text} {
		*s = sinceFlag(form)
		if _, err := memory.ParseWhere([]byte(s.condition())); err == nil {
			return nil
		}
	}
	return errors.New("must be an age such as 7d, a date such as 2026-05-01, or a time such as 2026-05-01T09:00:00Z")
}

// Type returns the name of the value in the help.
func (s *sinceFlag) Type() string { return "time" }

// matchFlag is the words that an entry must or must not have, in JSON; "" is none.
type matchFlag string

func (m *matchFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(m, "match", `only entries with these words, in JSON: '{"all": ["adrenaline pen"], "none": ["draft"]}'`)
}

// param returns the words as a parameter of the API.
func (m *matchFlag) param() *api.Match {
	if *m == "" {
		return nil
	}
	return new(api.Match(*m))
}

// String, Set and Type implement pflag.Value.
func (m *matchFlag) String() string { return string(*m) }

// Set returns an error unless text is a match.
func (m *matchFlag) Set(text string) error {
	*m = matchFlag(text)
	_, err := memory.ParseMatch([]byte(text))
	return err
}

// Type returns the name of the value in the help.
func (m *matchFlag) Type() string { return "words" }

// nullable is a flag whose empty value differs from its absence.
type nullable struct{ text *string }

// String, Set and Type implement pflag.Value.
func (n *nullable) String() string {
	if n.text == nil {
		return ""
	}
	return *n.text
}

func (n *nullable) Set(text string) error {
	n.text = &text
	return nil
}

func (n *nullable) Type() string { return "string" }

// completeWith restricts a flag to values: checkFlags rejects others, and the shell
// completes these.
func completeWith(cmd *cobra.Command, flag string, values ...string) {
	flags := cmd.Flags()
	if flags.Lookup(flag) == nil {
		flags = cmd.PersistentFlags()
	}
	if err := flags.SetAnnotation(flag, valuesOf, values); err != nil {
		panic(err) // the flag exists
	}
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag exists, and is registered once
	}
}
