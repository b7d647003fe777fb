package main

import (
	"fmt"
	"math/rand/v2"
)

// The vocabulary of generated memories: enough combinations that most of a
// hundred thousand differ, with words as unevenly common as in real ones.
var (
	benchWho = []string{
		"Anna", "Boris", "Carla", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas", "Kira", "Luis",
		"Maya", "Nils", "Olga", "Pablo", "Quinn", "Rosa", "Sven", "Tara", "Umar", "Vera", "Wanda", "Yusuf", "Zoe",
	}
	benchDid = []string{
		"booked", "painted", "repaired", "planned", "cancelled", "reviewed", "bought", "sold", "moved", "measured",
		"translated", "photographed", "tested", "borrowed", "returned", "ordered", "described", "forgot", "replaced",
		"cleaned", "compared", "finished", "recommended", "scheduled", "sketched",
	}
	benchHow = []string{
		"old", "green", "broken", "expensive", "second", "small", "northern", "quiet", "wooden", "late", "annual",
		"borrowed", "digital", "heavy", "handmade", "urgent", "weekly", "blue", "spare", "temporary", "shared",
		"noisy", "portable", "yellow", "seasonal",
	}
	benchWhat = []string{
		"bicycle", "train ticket", "garden shed", "invoice", "telescope", "kitchen table", "budget", "violin",
		"database migration", "coffee grinder", "passport", "quarterly report", "boat", "window frame", "camera lens",
		"piano lesson", "rain barrel", "bookshelf", "release schedule", "tent", "heating contract", "sourdough starter",
		"lease", "chess set", "router", "vaccination card", "winter coat", "parking permit", "greenhouse", "storage bill",
		"observatory visit", "choir rehearsal", "compost bin", "insurance claim", "ferry timetable", "sewing machine",
		"marathon entry", "dashboard", "hiking map", "backup job",
	}
	benchWhere = []string{
		"Lisbon", "Tromsø", "Kyoto", "Nairobi", "Tallinn", "Quito", "Ghent", "Aarhus", "Valparaíso", "Leipzig",
		"Montreal", "Busan", "Cardiff", "Split", "Turku", "Oaxaca", "Hobart", "Bergen", "Porto", "Graz",
	}
	benchWhy = []string{
		"because the price had doubled", "so that the team could start on Monday", "although it rained all day",
		"after a long talk with the landlord", "since the old one leaked", "for the spring exhibition",
		"before the audit", "to save about forty euros a month", "instead of waiting for a reply",
		"and asked to be reminded in June", "as a present for a cousin", "because the doctor advised it",
		"while the workshop was closed", "and prefers to pay by card", "without telling anyone",
	}
	benchWhen = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// generated is a memory made of the vocabulary.
type generated struct {
	who, did, how, what, where, why, when string
	day, number                           int
}

// newMemory is the memory with a number; the same at every run with a seed.
func newMemory(seed uint64, number int) generated {
	r := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // it must be the same at each run
	return generated{
		who: pick(r, benchWho), did: pick(r, benchDid), how: pick(r, benchHow), what: pick(r, benchWhat),
		where: pick(r, benchWhere), why: pick(r, benchWhy), when: pick(r, benchWhen),
		day: 1 + r.IntN(28), number: r.IntN(10_000),
	}
}

// pick favours the words at the front of a list: the product of two even
// draws makes its first tenth a third of what is picked.
func pick(r *rand.Rand, words []string) string {
	return words[int(r.Float64()*r.Float64()*float64(len(words)))]
}

// text is the memory's value, about 25 words.
func (g generated) text() string {
	return fmt.Sprintf("On %d %s %s %s the %s %s in %s %s. Reference number %d, noted during the evening call.",
		g.day, g.when, g.who, g.did, g.how, g.what, g.where, g.why, g.number)
}

// question asks for the memory in words of which it has some.
func (g generated) question() string {
	return fmt.Sprintf("When was the %s %s in %s %s, and was it %s who did that?", g.how, g.what, g.where, g.did, g.who)
}
