package rest

import (
	"context"
	"encoding/json"

	"mneme/memory"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

// addExplain sets what a search explains: its hits, or also the entry that the
// option names.
func addExplain(ctx context.Context, to *memory.SearchRequest, option *ExplainOption) error {
	if option == nil || json.Unmarshal(*option, &to.Explain) == nil {
		return nil
	}
	var entry ExplainedPath
	if err := (wire.Rules{}).DecodeStruct(*option, &entry); err != nil {
		return problem.In(problem.Malformed, "explain", `must be true, false, or {"key": …} with store and namespace, or without`)
	}
	path := memory.Path{Store: server.Principal(ctx).Agent, Namespace: or(entry.Namespace, ""), Key: entry.Key}
	if entry.Store != nil {
		var err error
		if path.Store, err = storeID(ctx, "explain.store", *entry.Store); err != nil {
			return err
		}
	}
	to.Explain, to.ExplainEntry = true, &path
	return nil
}

func explainOf(e *memory.Explain) *Explain {
	if e == nil {
		return nil
	}
	leg := func(r *memory.LegRank) *LegRank {
		if r == nil {
			return nil
		}
		return &LegRank{Rank: r.Rank, Score: r.Score}
	}
	summands := make([]Summand, len(e.Summands))
	for i, s := range e.Summands {
		summands[i] = Summand{Name: s.Name, Value: s.Value}
	}
	return &Explain{
		Lexical: leg(e.Lexical), Vector: leg(e.Vector), Fused: e.Fused,
		Cosine: e.Parts.Cosine, Maxsim: e.Parts.MaxSim, Coverage: e.Parts.Coverage, Summands: summands,
		Wording: e.Wording, Recency: e.Recency, Similarity: e.Similarity,
		Via: ExplainVia(e.Via), Label: Label(e.Label.String()),
	}
}

// explanationOf returns what an answer says beside its hits; nil if that is nothing.
func explanationOf(e *memory.Explanation) *Explanation {
	if e == nil || e.Filter == nil && e.Entry == nil {
		return nil
	}
	var x Explanation
	if f := e.Filter; f != nil {
		x.Filter = &FilterExplanation{Passing: f.Passing, Options: make([]OptionExplanation, len(f.Options))}
		for i, o := range f.Options {
			x.Filter.Options[i] = OptionExplanation{Name: FilterOption(o.Name), Dropped: o.Dropped}
		}
	}
	if e := e.Entry; e != nil {
		x.Entry = &EntryExplanation{Outcome: EntryExplanationOutcome(e.Outcome), Score: e.Score, Relevance: e.Relevance, Explain: explainOf(e.Explain)}
		if e.Outcome != memory.OutcomeNotFound {
			x.Entry.Id, x.Entry.Label = &e.ID, new(Label(e.Label.String()))
		}
		if e.Rank > 0 {
			x.Entry.Rank = &e.Rank
		}
		if e.VectorsWait {
			x.Entry.VectorsWait = &e.VectorsWait
		}
		if len(e.Options) > 0 {
			options := make([]FilterOption, len(e.Options))
			for i, name := range e.Options {
				options[i] = FilterOption(name)
			}
			x.Entry.Options = &options
		}
	}
	return &x
}
