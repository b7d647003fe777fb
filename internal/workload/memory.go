// Package workload generates the data of benchmarks: memories and questions, words
// with the frequencies of natural text, and vectors that resemble a text encoder's.
// The same seed always generates the same workload.
package workload

import (
	"fmt"
	"math/rand/v2"
)

// The vocabulary of generated memories. It has enough combinations that most of a hundred
// thousand memories differ.
var (
	whoWords = []string{
		"Anna", "Boris", "Carla", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas", "Kira", "Luis",
		"Maya", "Nils", "Olga", "Pablo", "Quinn", "Rosa", "Sven", "Tara", "Umar", "Vera", "Wanda", "Yusuf", "Zoe",
	}
	didWords = []string{
		"booked", "painted", "repaired", "planned", "cancelled", "reviewed", "bought", "sold", "moved", "measured",
		"translated", "photographed", "tested", "borrowed", "returned", "ordered", "described", "forgot", "replaced",
		"cleaned", "compared", "finished", "recommended", "scheduled", "sketched",
	}
	howWords = []string{
		"old", "green", "broken", "expensive", "second", "small", "northern", "quiet", "wooden", "late", "annual",
		"borrowed", "digital", "heavy", "handmade", "urgent", "weekly", "blue", "spare", "temporary", "shared",
		"noisy", "portable", "yellow", "seasonal",
	}
	whatWords = []string{
		"bicycle", "train ticket", "garden shed", "invoice", "telescope", "kitchen table", "budget", "violin",
		"database migration", "coffee grinder", "passport", "quarterly report", "boat", "window frame", "camera lens",
		"piano lesson", "rain barrel", "bookshelf", "release schedule", "tent", "heating contract", "sourdough starter",
		"lease", "chess set", "router", "vaccination card", "winter coat", "parking permit", "greenhouse", "storage bill",
		"observatory visit", "choir rehearsal", "compost bin", "insurance claim", "ferry timetable", "sewing machine",
		"marathon entry", "dashboard", "hiking map", "backup job",
	}
	whereWords = []string{
		"Lisbon", "Tromsø", "Kyoto", "Nairobi", "Tallinn", "Quito", "Ghent", "Aarhus", "Valparaíso", "Leipzig",
		"Montreal", "Busan", "Cardiff", "Split", "Turku", "Oaxaca", "Hobart", "Bergen", "Porto", "Graz",
	}
	whyWords = []string{
		"because the price had doubled", "so that the team could start on Monday", "although it rained all day",
		"after a long talk with the landlord", "since the old one leaked", "for the spring exhibition",
		"before the audit", "to save about forty euros a month", "instead of waiting for a reply",
		"and asked to be reminded in June", "as a present for a cousin", "because the doctor advised it",
		"while the workshop was closed", "and prefers to pay by card", "without telling anyone",
	}
	whenWords = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// Memory is a generated memory: a statement and a question about it.
type Memory struct {
	who, did, how, what, where, why, when string
	day, number                           int
}

// NewMemory returns the memory with the given number. The same seed and number
// always return the same memory.
func NewMemory(seed uint64, number int) Memory {
	r := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // reproducible, not secret
	return Memory{
		who: pick(r, whoWords), did: pick(r, didWords), how: pick(r, howWords), what: pick(r, whatWords),
		where: pick(r, whereWords), why: pick(r, whyWords), when: pick(r, whenWords),
		day: 1 + r.IntN(28), number: r.IntN(10_000),
	}
}

// pick draws a word, and prefers the front of the list, as real text prefers some words:
// the product of two uniform draws takes a third of all picks from the first tenth of the
// list.
func pick(r *rand.Rand, words []string) string {
	return words[int(r.Float64()*r.Float64()*float64(len(words)))]
}

// Text returns the memory's value, about 25 words.
func (m Memory) Text() string {
	return fmt.Sprintf("On %d %s %s %s the %s %s in %s %s. Reference number %d, noted during the evening call.",
		m.day, m.when, m.who, m.did, m.how, m.what, m.where, m.why, m.number)
}

// Question returns a question that the memory answers. It shares some of the
// memory's words.
func (m Memory) Question() string {
	return fmt.Sprintf("When was the %s %s in %s %s, and was it %s who did that?", m.how, m.what, m.where, m.did, m.who)
}
