package storagetest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// entry returns the first version of an entry in the store, owned by the store's
// agent. Its value is its key.
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

// ownedBy makes an entry one that an agent created.
func ownedBy(agent string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Owner, e.UpdatedBy, e.TypeBy, e.DescriptionBy = agent, agent, agent, agent }
}

// writtenBy makes a version one that an agent wrote, without a type and a
// description.
func writtenBy(agent string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.UpdatedBy = agent }
}

// describedBy makes a version one whose type and description agents wrote.
func describedBy(typeBy, descriptionBy string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.TypeBy, e.DescriptionBy = typeBy, descriptionBy }
}

func tagged(tags ...string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Tags = append([]string(nil), tags...) }
}

func expiring(at time.Time) func(*memory.Entry) { return func(e *memory.Entry) { e.ExpiresAt = at } }

func outOfContext(e *memory.Entry) { e.InContext = false }

func encrypted(e *memory.Entry) { e.Encrypted = true }

// occurring sets when it occurred, from a Moment's text.
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

// words returns the terms of an entry: the words of its value, unchanged. The
// suite does not depend on the rules of analysis, except for forms.
func words(e memory.Entry) lexical.Document {
	if !e.Searchable() || !e.DeletedAt.IsZero() {
		return lexical.Document{}
	}
	var s string
	_ = json.Unmarshal(e.Value, &s) // other values than strings have no words here
	doc := lexical.Document{Length: len(strings.Fields(s)), Forms: lexical.Analyze(e.Texts()...).Forms}
	for _, t := range terms(s) {
		doc.Terms = append(doc.Terms, lexical.Term{Text: t.Text, Count: int(t.Weight)})
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
