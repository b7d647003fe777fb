package wire

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"mneme/search"
)

// ErrExplain reports an invalid option explain.
var ErrExplain = errors.New(`must be true, false, or {"key": …} with store and namespace, or without`)

// ExplainedPath is the path of an entry whose outcome a search explains.
type ExplainedPath struct {
	Store     *string // nil: left out
	Namespace string
	Key       string
}

// ParseExplain parses the option explain of a search: a boolean, or the path of an
// entry. The path is nil if the option names none.
func ParseExplain(option json.RawMessage) (explain bool, entry *ExplainedPath, err error) {
	if json.Unmarshal(option, &explain) == nil {
		return explain, nil, nil
	}
	var path struct {
		Key       string  `json:"key"`
		Store     *string `json:"store,omitempty"`
		Namespace *string `json:"namespace,omitempty"`
	}
	if err := (Rules{}).DecodeStruct(option, &path); err != nil {
		return false, nil, ErrExplain
	}
	entry = &ExplainedPath{Key: path.Key, Store: path.Store}
	if path.Namespace != nil {
		entry.Namespace = *path.Namespace
	}
	return true, entry, nil
}

// Explain explains, in an answer, how a hit was ranked and why the caller may see it.
type Explain struct {
	Lexical    *LegRank   `json:"lexical,omitempty"`
	Vector     *LegRank   `json:"vector,omitempty"`
	Dates      *LegRank   `json:"dates,omitempty"`
	Fused      *float64   `json:"fused,omitempty"`
	Cosine     *float64   `json:"cosine,omitempty"`
	MaxSim     *float64   `json:"maxsim,omitempty"`
	Coverage   *float64   `json:"coverage,omitempty"`
	Summands   []Summand  `json:"summands"`
	Wording    int        `json:"wording"`
	Rerank     *Judgement `json:"rerank,omitempty"`
	Recency    *float64   `json:"recency,omitempty"`
	Similarity *float64   `json:"similarity,omitempty"`
	Via        string     `json:"via"`
	Label      string     `json:"label"`
	Model      string     `json:"model,omitempty"`
	Language   string     `json:"language,omitempty"`
}

// LegRank is a hit's rank and score in one leg. Wording is the index of the query's wording
// that they belong to; nil if it is the one for which the hit is most relevant.
type LegRank struct {
	Rank    int     `json:"rank"`
	Score   float64 `json:"score"`
	Wording *int    `json:"wording,omitempty"`
}

// Judgement is a reranking service's result for a hit. Rank is 0 on pages after the first.
type Judgement struct {
	Rank  int     `json:"rank,omitempty"`
	Score float64 `json:"score"`
}

// Summand is a part of a hit's score.
type Summand struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// ExplainOf converts the explanation of a hit for an answer; nil stays nil.
func ExplainOf(e *search.Explain) *Explain {
	if e == nil {
		return nil
	}
	leg := func(r *search.LegRank) *LegRank {
		if r == nil {
			return nil
		}
		shown := &LegRank{Rank: r.Rank, Score: r.Score}
		if r.Other {
			shown.Wording = &r.Wording
		}
		return shown
	}
	summands := make([]Summand, len(e.Summands))
	for i, s := range e.Summands {
		summands[i] = Summand{Name: s.Name, Value: s.Value}
	}
	var rerank *Judgement
	if e.Rerank != nil {
		rerank = &Judgement{Rank: e.Rerank.Rank, Score: e.Rerank.Score}
	}
	return &Explain{
		Rerank:  rerank,
		Lexical: leg(e.Lexical), Vector: leg(e.Vector), Dates: leg(e.Dates), Fused: e.Fused,
		Cosine: e.Parts.Cosine, MaxSim: e.Parts.MaxSim, Coverage: e.Parts.Coverage, Summands: summands,
		Wording: e.Wording, Recency: e.Recency, Similarity: e.Similarity,
		Via: string(e.Via), Label: e.Label.String(), Model: e.Model, Language: e.Language,
	}
}

// Explanation explains a search as a whole in an answer.
type Explanation struct {
	Filter *FilterExplanation `json:"filter,omitempty"`
	Entry  *EntryExplanation  `json:"entry,omitempty"`
	Typos  []Typo             `json:"typos,omitempty"`
	Dates  []NamedTime        `json:"dates,omitempty"`
	// Readers lists the models that embedded each wording.
	Readers []Readers `json:"readers,omitempty"`
}

// NamedTime is a time that a query names.
type NamedTime struct {
	Wording int        `json:"wording"`
	Text    string     `json:"text"`
	From    *time.Time `json:"from,omitempty"`
	Until   *time.Time `json:"until,omitempty"`
	AnyYear bool       `json:"any_year,omitempty"`
}

// Readers lists the models that embedded a wording, and the wording's detected language.
type Readers struct {
	Wording  int      `json:"wording"`
	Language string   `json:"language,omitempty"`
	Models   []string `json:"models"`
}

// Typo is a word of the query that no entry has, and the terms searched for instead.
type Typo struct {
	Word  string   `json:"word"`
	Found []string `json:"found"`
}

// FilterExplanation counts the entries that pass the options of a search, and those that
// each option drops.
type FilterExplanation struct {
	Passing *int                `json:"passing,omitempty"`
	Options []OptionExplanation `json:"options"`
}

// OptionExplanation counts the entries that one option drops.
type OptionExplanation struct {
	Name    string `json:"name"`
	Dropped *int   `json:"dropped,omitempty"`
}

// EntryExplanation explains the outcome of a search for one entry.
type EntryExplanation struct {
	Outcome     search.Outcome `json:"outcome"`
	ID          *uuid.UUID     `json:"id,omitempty"`
	Label       string         `json:"label,omitempty"`
	Rank        int            `json:"rank,omitempty"`
	Options     []string       `json:"options,omitempty"`
	Score       *float64       `json:"score,omitempty"`
	Relevance   *float64       `json:"relevance,omitempty"`
	VectorsWait bool           `json:"vectors_wait,omitempty"`
	Explain     *Explain       `json:"explain,omitempty"`
}

// ExplanationOf converts the explanation of a search for an answer; nil if it is empty.
func ExplanationOf(e *search.Explanation) *Explanation {
	if e == nil || e.Filter == nil && e.Entry == nil && len(e.Typos) == 0 && len(e.Readers) == 0 && len(e.Dates) == 0 {
		return nil
	}
	var x Explanation
	for _, t := range e.Typos {
		x.Typos = append(x.Typos, Typo(t))
	}
	for _, d := range e.Dates {
		x.Dates = append(x.Dates, NamedTime(d))
	}
	for _, r := range e.Readers {
		x.Readers = append(x.Readers, Readers(r))
	}
	if f := e.Filter; f != nil {
		x.Filter = &FilterExplanation{Passing: f.Passing, Options: make([]OptionExplanation, len(f.Options))}
		for i, o := range f.Options {
			x.Filter.Options[i] = OptionExplanation{Name: o.Name, Dropped: o.Dropped}
		}
	}
	if e := e.Entry; e != nil {
		x.Entry = &EntryExplanation{
			Outcome: e.Outcome, Rank: e.Rank, Options: e.Options,
			Score: e.Score, Relevance: e.Relevance, VectorsWait: e.VectorsWait, Explain: ExplainOf(e.Explain),
		}
		if e.Outcome != search.OutcomeNotFound {
			x.Entry.ID, x.Entry.Label = &e.ID, e.Label.String()
		}
	}
	return &x
}
