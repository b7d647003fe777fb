package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	"mneme/configs"
	"mneme/memory"
)

func newSearch(p *program) *cobra.Command {
	s := searching{program: p}
	cmd := &cobra.Command{
		Use:   "search --agent A QUESTION…",
		Short: "Ask the memories that an agent can search",
		Long: `Asks the stores that the agent can search, or those named by --stores, and
prints what was found, best first. Several words may be given without quotes.
Works beside a running server, and with --url on one.`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			s.question.Query = strings.Join(args, " ")
			if cmd.Flags().Changed("namespace") {
				s.question.Namespace = &s.namespace
			}
			return s.run(cmd.Context(), config)
		}),
	}
	s.as.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&s.question.Stores, "stores", nil, "search these stores alone, separated by commas")
	flags.StringVar(&s.namespace, "namespace", "", "search this namespace alone")
	flags.StringSliceVar(&s.question.Tags, "tags", nil, "only entries with all of these tags")
	flags.StringVar(&s.question.Type, "type", "", "only entries of this type")
	flags.IntVar(&s.question.Limit, "limit", 10, "how many hits, 1 to 100")
	flags.BoolVar(&s.question.Explain, "explain", false, "tell how each hit came to its place")
	flags.StringVar(&s.url, "url", "", "ask the server at this address")
	// Without an error: the flag is there.
	_ = cmd.MarkFlagRequired("agent")
	return cmd
}

// searching is one run of the search command.
type searching struct {
	*program
	as             callerFlags
	namespace, url string
	question       question
}

// question is a search as the REST API takes it.
type question struct {
	Query     string   `json:"query"`
	Stores    []string `json:"stores,omitempty"`
	Namespace *string  `json:"namespace,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Type      string   `json:"type,omitempty"`
	Limit     int      `json:"limit"`
	Explain   bool     `json:"explain,omitempty"`
}

// answer is what was found, as the REST API shows it. Took is known of a
// search in this process alone.
type answer struct {
	Hits       []hit    `json:"hits"`
	Label      string   `json:"label,omitempty"`
	Degraded   []string `json:"degraded"`
	Incomplete bool     `json:"incomplete"`
	Took       *took    `json:"took,omitempty"`
}

// took is how long the steps ran, in milliseconds.
type took struct {
	Embed   float64 `json:"embed_ms"`
	Lexical float64 `json:"lexical_ms"`
	Vector  float64 `json:"vector_ms"`
	Fetch   float64 `json:"fetch_ms"`
	Total   float64 `json:"total_ms"`
}

// hit is one found entry. From a store of which the agent has level search it
// carries store, key, label, value and score alone.
type hit struct {
	ID          string          `json:"id,omitempty"`
	Store       string          `json:"store_id"`
	Owner       string          `json:"owner_id,omitempty"`
	Namespace   *string         `json:"namespace,omitempty"`
	Key         string          `json:"key"`
	Label       string          `json:"label"`
	Value       json.RawMessage `json:"value"`
	Type        *string         `json:"type,omitempty"`
	Description *string         `json:"description,omitempty"`
	Tags        *[]string       `json:"tags,omitempty"`
	UpdatedAt   *time.Time      `json:"updated_at,omitempty"`
	UpdatedBy   string          `json:"updated_by,omitempty"`
	Score       float64         `json:"score"`
	Explain     *explain        `json:"explain,omitempty"`
}

type explain struct {
	Lexical *legRank `json:"lexical,omitempty"`
	Vector  *legRank `json:"vector,omitempty"`
	Fused   float64  `json:"fused"`
	Via     string   `json:"via"`
	Label   string   `json:"label"`
}

type legRank struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

func (s *searching) run(ctx context.Context, config configs.Config) error {
	caller, err := s.as.caller(s.as.agent)
	if err != nil {
		return err
	}
	if s.question.Limit < 1 || s.question.Limit > 100 {
		return usageError{errors.New("--limit must be 1 to 100")}
	}
	for _, store := range s.question.Stores {
		if err := acl.CheckID(store); err != nil {
			return usageError{fmt.Errorf("--stores: %w", err)}
		}
	}
	var found answer
	if s.url != "" {
		found, err = s.ask(ctx, config)
	} else {
		found, err = s.look(ctx, config, caller)
	}
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(found)
	}
	return printAnswer(s.out, found)
}

// ask asks a server.
func (s *searching) ask(ctx context.Context, config configs.Config) (found answer, err error) {
	server, err := newRemote(config, s.url, s.as)
	if err != nil {
		return answer{}, err
	}
	body, err := json.Marshal(s.question)
	if err != nil {
		return answer{}, err
	}
	reply, err := server.call(ctx, s.as.agent, http.MethodPost, "v1/search", "application/json", bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	defer reply.Close()
	if err := json.NewDecoder(reply).Decode(&found); err != nil {
		return answer{}, errors.New("the server's answer to a search cannot be read")
	}
	return found, nil
}

// look searches in this process.
func (s *searching) look(ctx context.Context, config configs.Config, caller memory.Caller) (found answer, err error) {
	service, err := backend.Open(ctx, config, s.logger(config.Log))
	if err != nil {
		return answer{}, err
	}
	defer closing(service, &err)
	if err := service.RegisterCaller(ctx, caller.Principal); err != nil {
		return answer{}, err
	}
	q := s.question
	started := time.Now()
	result, err := service.Search(ctx, caller, memory.SearchRequest{
		Query: q.Query, Stores: q.Stores, Limit: q.Limit, Explain: q.Explain,
		Filter: memory.Filter{Namespace: q.Namespace, Tags: q.Tags, Type: q.Type},
	})
	if err != nil {
		return answer{}, err
	}
	found = answerOf(result)
	if q.Explain {
		found.Took = tookOf(result.Took, time.Since(started))
	}
	return found, nil
}

func tookOf(t memory.Took, total time.Duration) *took {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &took{Embed: ms(t.Embed), Lexical: ms(t.Lexical), Vector: ms(t.Vector), Fetch: ms(t.Fetch), Total: ms(total)}
}

func answerOf(a memory.Answer) answer {
	found := answer{Hits: make([]hit, len(a.Hits)), Label: a.Label.String(), Degraded: a.Degraded, Incomplete: a.Incomplete}
	if found.Degraded == nil {
		found.Degraded = []string{}
	}
	for i := range a.Hits {
		found.Hits[i] = hitOf(&a.Hits[i])
	}
	return found
}

func hitOf(h *memory.Hit) hit {
	shown := hit{Store: h.Store, Key: h.Key, Label: h.Label.String(), Value: h.Value, Score: h.Score}
	if h.Level == acl.Search {
		return shown
	}
	tags := h.Tags
	if tags == nil {
		tags = []string{}
	}
	shown.ID, shown.Owner, shown.UpdatedBy = h.ID.String(), h.Owner, h.UpdatedBy
	shown.Namespace, shown.Type, shown.Description = &h.Namespace, &h.Type, &h.Description
	shown.Tags, shown.UpdatedAt = &tags, &h.UpdatedAt
	if x := h.Explain; x != nil {
		shown.Explain = &explain{
			Fused: x.Fused, Via: string(x.Via), Label: x.Label.String(),
		}
		if x.Lexical != nil {
			shown.Explain.Lexical = &legRank{Rank: x.Lexical.Rank, Score: x.Lexical.Score}
		}
		if x.Vector != nil {
			shown.Explain.Vector = &legRank{Rank: x.Vector.Rank, Score: x.Vector.Score}
		}
	}
	return shown
}
