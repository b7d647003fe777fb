package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/configs"
	"mneme/search"
)

func newSearch(p *program) *cobra.Command {
	s := searching{reading: reading{program: p}}
	cmd := &cobra.Command{
		Use:   "search --agent A QUESTION…",
		Short: "Search the memories that an agent has access to",
		Long: `Searches all stores that the agent has access to, or those named by --stores, and
prints the hits, best first. QUESTION needs no quotes. Searches the local
database, also while a server uses it, or with --url asks a server. In the local
one it first makes vectors that are missing, for up to 5 seconds.

As the tools do, it leaves out what is not relevant, and marks what may not answer;
--json and --min-relevance 0 show all.

A store on which the agent has accepted an offer is searched, and paid for from its
account, only if --stores names it and --max-charge is given. --offer searches the
store of one offer.`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			s.query = strings.Join(args, " ")
			if err := s.purchase.check(cmd); err != nil {
				return err
			}
			given := cmd.Flags().Changed
			s.asTools = !s.json && !given("min-relevance") && !given("where") && !given("match") && !given("cursor")
			return s.run(cmd.Context(), config)
		}),
	}
	s.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&s.stores, "stores", nil, "search only these stores, separated by commas")
	flags.IntVar(&s.limit, "limit", 10, "maximum number of hits, 1 to 100")
	flags.BoolVar(&s.passages, "passages", false, "show long values by the passages that answer, and highlight the words of the question")
	flags.IntVar(&s.maxTokens, "max-tokens", 0, "show at most so many tokens, at least 50; 0 for no limit")
	s.ranking.add(cmd)
	s.purchase.add(cmd)
	flags.BoolVar(&s.explain, "explain", false, "show the rank of each hit in each leg, what its relevance is made of, and timings")
	flags.StringVar(&s.whyNot, "why-not", "", "like --explain, and say what became of the entry with this key, in --namespace or the default one, and in --stores if that is a single one, or the agent's own")
	flags.StringVar(&s.cursor, "cursor", "", "the page after an answer, whose cursor --json shows; the other options are repeated")
	return cmd
}

// minTokens is the minimum --max-tokens that the server accepts.
const minTokens = 50

// searching is one run of the search command.
type searching struct {
	reading
	ranking  rankingFlags
	purchase purchaseFlags
	query    string
	stores   []string
	limit    int
	explain  bool
	whyNot   string

	passages  bool
	maxTokens int
	cursor    string
	// asTools makes the command answer like the tools of agents: if no hit is relevant, it
	// says so, instead of listing the least irrelevant hits. It is set if people rather
	// than programs read the answer.
	asTools bool
}

// question returns the search in the API's format.
func (s *searching) question() (api.Question, error) {
	q := api.Question{Limit: &s.limit}
	s.addExplain(&q)
	if err := s.ranking.apply(&q, s.query); err != nil {
		return api.Question{}, err
	}
	// The option nearest is no alternative: a store that is shared at level search rejects
	// it.
	if s.asTools {
		q.MinRelevance = new(float64(search.Irrelevant))
	}
	if s.cursor != "" || s.json {
		q.Cursor = &s.cursor
	}
	if len(s.stores) > 0 {
		q.Stores = &s.stores
	}
	if s.passages {
		q.Passages = &s.passages
	}
	if s.maxTokens != 0 {
		q.MaxTokens = &s.maxTokens
	}
	q.MaxCharge = s.purchase.maxCharge.micros
	s.filter.restrict(&q)
	return q, nil
}

// addExplain sets what the search explains.
func (s *searching) addExplain(q *api.Question) {
	switch {
	case s.whyNot != "":
		path := api.ExplainedPath{Key: s.whyNot, Namespace: s.filter.namespace.text}
		if len(s.stores) == 1 {
			path.Store = &s.stores[0]
		}
		q.Explain = client.ExplainEntry(path)
	case s.explain:
		q.Explain = client.ExplainHits()
	}
}

// answer is the result of a search. Took is nil if the server does not report it.
type answer struct {
	api.Answer
	Took *took `json:"took,omitempty"`
}

// took holds the durations of a search's steps, in milliseconds.
type took struct {
	Queue   float64 `json:"queue_ms"`
	Filter  float64 `json:"filter_ms"`
	Embed   float64 `json:"embed_ms"`
	Lexical float64 `json:"lexical_ms"`
	Vector  float64 `json:"vector_ms"`
	Rerank  float64 `json:"rerank_ms"`
	Rank    float64 `json:"rank_ms"`
	Fetch   float64 `json:"fetch_ms"`
	Total   float64 `json:"total_ms"`
}

func tookOf(t *client.Timing) *took {
	if t == nil {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &took{Queue: ms(t.Queue), Filter: ms(t.Filter), Embed: ms(t.Embed), Lexical: ms(t.Lexical), Vector: ms(t.Vector), Rerank: ms(t.Rerank), Rank: ms(t.Rank), Fetch: ms(t.Fetch), Total: ms(t.Total)}
}

func (s *searching) run(ctx context.Context, config configs.Config) error {
	if _, err := s.as.principal(s.as.agent); err != nil {
		return err
	}
	if s.limit < 1 || s.limit > 100 {
		return usageError{errors.New("--limit must be between 1 and 100")}
	}
	if s.maxTokens != 0 && s.maxTokens < minTokens {
		return usageError{fmt.Errorf("--max-tokens must be at least %d", minTokens)}
	}
	question, err := s.question()
	if err != nil {
		return err
	}
	for _, store := range s.stores {
		if err := acl.CheckID(store); err != nil {
			return usageError{fmt.Errorf("--stores: %w", err)}
		}
	}
	return s.call(ctx, config, openCaughtUp, func(as *client.Client) error {
		found, timing, err := s.purchase.search(ctx, as, question)
		if err != nil {
			return err
		}
		shown := answer{Answer: found, Took: tookOf(timing)}
		if s.json {
			return s.printJSON(shown)
		}
		if s.asTools && !s.explain && s.whyNot == "" {
			shown.Hits = limitUnsure(shown.Hits)
		}
		return printAnswer(s.out, styled(s.out), shown)
	})
}
