package storagetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// entry returns the first version of an entry in the store, owned by the store's agent. Its
// value is its key.
func entry(store, key string, changes ...func(*memory.Entry)) memory.Entry {
	e := memory.Entry{
		ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: store, Key: key}, Owner: store, Label: acl.Public,
		Value: text(key), InContext: true, Version: 1, Revision: 1, CreatedAt: start, UpdatedAt: start, UpdatedBy: store,
		TypeBy: store, DescriptionBy: store,
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// full returns an entry with every stored field set.
func full() memory.Entry {
	return memory.Entry{
		ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: "st:ore@x", Namespace: "name space", Key: "päth/ключ/鍵"},
		Owner: "owner", Label: acl.Confidential,
		Value:     json.RawMessage(" {\"a\":  [1, 2.0, \"<é\\u00e9>\"],\n\"a\":null}\t"),
		Source:    json.RawMessage(`{ "tool" : "x"}`),
		Type:      "reference",
		InContext: true, Encrypted: true,
		Description: "one 'line' \"quoted\" %_\\", Tags: []string{"z", "a", "ümläut", "q\"'"},
		ExpiresAt: after(time.Hour + time.Microsecond), Version: 1, Revision: 1,
		CreatedAt: after(-time.Hour), UpdatedAt: after(time.Microsecond), UpdatedBy: "editor", TypeBy: "typist", DescriptionBy: "",
		DeletedAt: after(time.Minute), DeletedBy: "deleter", OccurredAt: moment("2023-05-08T13:56:00.000001Z"),
	}
}

// unset returns the names of the unset fields.
func unset(e memory.Entry) (names []string) {
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// drawEntry draws an entry with a unique key.
func drawEntry(r *rapid.T, number int) memory.Entry {
	return entry("a", oneOf(r, "key", whereNames)+fmt.Sprint(number), func(e *memory.Entry) {
		e.Store = oneOf(r, "store", []string{"a", "b"})
		e.Namespace = oneOf(r, "namespace", []string{"", "a", "é"})
		e.Type = oneOf(r, "type", whereTypes)
		e.Owner, e.UpdatedBy = oneOf(r, "owner", whereNames), oneOf(r, "writer", whereNames)
		e.TypeBy, e.DescriptionBy = e.Owner, e.Owner
		e.Label = rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal, acl.Restricted}).Draw(r, "label")
		e.Encrypted = rapid.IntRange(0, 5).Draw(r, "encrypted") == 0
		e.InContext = rapid.IntRange(0, 9).Draw(r, "in context") > 0
		e.Value = json.RawMessage(drawValue(r, 3))
		for tag := range slices.Values([]string{"a", "é", "%"}) {
			if rapid.Bool().Draw(r, "tagged") {
				e.Tags = append(e.Tags, tag)
			}
		}
		e.CreatedAt, e.UpdatedAt = drawTime(r), drawTime(r)
		if rapid.Bool().Draw(r, "expires") {
			e.ExpiresAt = drawTime(r)
		}
		if rapid.Bool().Draw(r, "occurred") {
			e.OccurredAt = moment(oneOf(r, "occurred at", []string{
				"2030-05-17", "2030-05-17T12:00:00Z", "2030-05-17T00:00:00Z", "0001-01-01", "9999-12-31", "2030-05", "2030", "0001", "9999-12",
			}))
		}
	})
}

func drawTime(r *rapid.T) time.Time {
	return after(rapid.SampledFrom([]time.Duration{0, -12 * time.Hour, 12 * time.Hour, time.Microsecond, -24 * time.Hour, 2 * time.Hour}).Draw(r, "time"))
}

func text(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// says sets the value to a string of words.
func says(words string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Value = text(words) }
}

func labelled(l acl.Label) func(*memory.Entry) { return func(e *memory.Entry) { e.Label = l } }

// ownedBy sets the agent that created the entry.
func ownedBy(agent string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Owner, e.UpdatedBy, e.TypeBy, e.DescriptionBy = agent, agent, agent, agent }
}

// writtenBy sets the agent that wrote the version, but not the authors of type and description.
func writtenBy(agent string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.UpdatedBy = agent }
}

// describedBy sets the agents that wrote the type and description.
func describedBy(typeBy, descriptionBy string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.TypeBy, e.DescriptionBy = typeBy, descriptionBy }
}

func tagged(tags ...string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Tags = append([]string(nil), tags...) }
}

func expiring(at time.Time) func(*memory.Entry) { return func(e *memory.Entry) { e.ExpiresAt = at } }

func outOfContext(e *memory.Entry) { e.InContext = false }

func encrypted(e *memory.Entry) { e.Encrypted = true }

// occurring sets OccurredAt from a Moment's text.
func occurring(text string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.OccurredAt = moment(text) }
}

func moment(text string) memory.Moment {
	m, err := memory.ParseMoment(text)
	if err != nil {
		panic(err)
	}
	return m
}

// edited returns the next version of an entry.
func edited(e memory.Entry, changes ...func(*memory.Entry)) memory.Entry {
	e.Version++
	return changed(e, changes...)
}

// changed returns the next revision of an entry, of the same version.
func changed(e memory.Entry, changes ...func(*memory.Entry)) memory.Entry {
	e.Revision++
	for _, change := range changes {
		change(&e)
	}
	return e
}

func deletedAt(at time.Time) func(*memory.Entry) {
	return func(e *memory.Entry) { e.DeletedAt, e.DeletedBy = at, e.Owner }
}

func restored(e *memory.Entry) { e.DeletedAt, e.DeletedBy = time.Time{}, "" }

// words returns the terms of an entry: the words of its value, unchanged. So the suite does not
// depend on how package lexical derives terms from a text, but only on how it derives forms.
func words(e memory.Entry) lexical.Document {
	if !e.Searchable() || !e.DeletedAt.IsZero() {
		return lexical.Document{}
	}
	var s string
	_ = json.Unmarshal(e.Value, &s) // values other than strings have no words here
	doc := lexical.Document{Length: len(strings.Fields(s)), Forms: lexical.Analyze(e.Texts()...).Forms}
	for _, t := range terms(s) {
		doc.Terms = append(doc.Terms, lexical.Term{Text: t.Text, Count: min(int(t.Weight), lexical.MaxTermCount)})
	}
	return doc
}

// terms returns the distinct words of a text, sorted, with their counts.
func terms(text string) (terms []lexical.QueryTerm) {
	for _, word := range slices.Sorted(slices.Values(strings.Fields(text))) {
		if n := len(terms); n > 0 && terms[n-1].Text == word {
			terms[n-1].Weight++
			continue
		}
		terms = append(terms, lexical.QueryTerm{Text: word, Weight: 1})
	}
	return terms
}
