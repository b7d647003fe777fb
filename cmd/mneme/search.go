package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	client "mneme/clients/go"
	"mneme/configs"
)

func newSearch(p *program) *cobra.Command {
	s := searching{program: p}
	cmd := &cobra.Command{
		Use:   "search --agent A QUESTION…",
		Short: "Search the memories that an agent has access to",
		Long: `Searches all stores that the agent has access to, or those named by --stores, and
prints the hits, best first. QUESTION needs no quotes. Searches the local
database, also while a server uses it, or with --url asks a server.`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			s.query = strings.Join(args, " ")
			return s.run(cmd.Context(), config)
		}),
	}
	s.as.add(cmd)
	s.filter.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&s.stores, "stores", nil, "search only these stores, separated by commas")
	flags.IntVar(&s.limit, "limit", 10, "maximum number of hits, 1 to 100")
	flags.Float64Var(&s.minRelevance, "min-relevance", 0, "leave out hits of less relevance, 0 to 1")
	flags.StringVar(&s.ranking, "ranking", "", "what orders the hits: relevance (default) or rrf")
	flags.BoolVar(&s.explain, "explain", false, "show the rank of each hit in each leg, what its relevance is made of, and timings")
	flags.StringVar(&s.url, "url", "", "ask the server at this address")
	completeWith(cmd, "ranking", string(client.Relevance), string(client.Rrf))
	_ = cmd.MarkFlagRequired("agent") // the flag exists
	return cmd
}

// searching is one run of the search command.
type searching struct {
	*program
	as      callerFlags
	filter  filterFlags
	url     string
	query   string
	stores  []string
	limit   int
	explain bool

	minRelevance float64
	ranking      string
}

// question returns the search as the API takes it.
func (s *searching) question() client.Question {
	q := client.Question{Query: s.query, Limit: &s.limit, MinRelevance: &s.minRelevance, Explain: &s.explain}
	if s.ranking != "" {
		q.Ranking = new(client.QuestionRanking(s.ranking))
	}
	if len(s.stores) > 0 {
		q.Stores = &s.stores
	}
	s.filter.restrict(&q)
	return q
}

// answer is the result of a search. Took is nil if the server does not report it.
type answer struct {
	client.Answer
	Took *took `json:"took,omitempty"`
}

// took holds the durations of a search's steps, in milliseconds.
type took struct {
	Queue   float64 `json:"queue_ms"`
	Embed   float64 `json:"embed_ms"`
	Lexical float64 `json:"lexical_ms"`
	Vector  float64 `json:"vector_ms"`
	Rank    float64 `json:"rank_ms"`
	Fetch   float64 `json:"fetch_ms"`
	Total   float64 `json:"total_ms"`
}

func tookOf(t *client.Timing) *took {
	if t == nil {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &took{Queue: ms(t.Queue), Embed: ms(t.Embed), Lexical: ms(t.Lexical), Vector: ms(t.Vector), Rank: ms(t.Rank), Fetch: ms(t.Fetch), Total: ms(t.Total)}
}

func (s *searching) run(ctx context.Context, config configs.Config) (err error) {
	if _, err := s.as.principal(s.as.agent); err != nil {
		return err
	}
	if s.limit < 1 || s.limit > 100 {
		return usageError{errors.New("--limit must be between 1 and 100")}
	}
	if !(s.minRelevance >= 0 && s.minRelevance <= 1) { // NaN is neither
		return usageError{errors.New("--min-relevance must be between 0 and 1")}
	}
	if s.ranking != "" && !client.QuestionRanking(s.ranking).Valid() {
		return usageError{errors.New("--ranking must be relevance or rrf")}
	}
	for _, store := range s.stores {
		if err := acl.CheckID(store); err != nil {
			return usageError{fmt.Errorf("--stores: %w", err)}
		}
	}
	to, err := s.connect(ctx, config, s.as, s.url, backend.Open)
	if err != nil {
		return err
	}
	defer closeJoin(to, &err)
	as, err := to.client(s.as.agent)
	if err != nil {
		return err
	}
	found, timing, err := as.Search(ctx, s.question())
	if err != nil {
		return to.failure(err)
	}
	shown := answer{Answer: found, Took: tookOf(timing)}
	if s.json {
		return s.printJSON(shown)
	}
	return printAnswer(s.out, shown)
}
