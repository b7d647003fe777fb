package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	"mneme/benchmarks/relevance"
	"mneme/configs"
	"mneme/indexer"
	"mneme/memory"
)

// benchStore takes the documents of sets without stores.
const benchStore = "bench"

func newBenchRelevance(p *program) *cobra.Command {
	b := relevanceBench{program: p}
	cmd := &cobra.Command{
		Use:   "relevance --data DIR",
		Short: "Measure nDCG@10 and recall on a BEIR data set",
		Long: `Imports a BEIR data set (corpus.jsonl, queries.jsonl, qrels.tsv) into a data
folder of its own, asks every question, and prints what each leg and their
fusion reach. A question with a store is asked by that store's own agent, all
others within one store. The measures are trec_eval's. Run files name the
corpus's _ids.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return b.run(cmd.Context(), config)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&b.data, "data", "", "`folder` of the data set")
	flags.StringVar(&b.qrels, "qrels", "", "`file` of judgements in place of the set's qrels.tsv")
	flags.StringVar(&b.runFile, "run", "", "write the fused answers to this `file`, in TREC's format")
	// It takes the place of the common switch of that name.
	flags.StringVar(&b.jsonFile, "json", "", "write the measures to this `file` (- is standard output, without the table)")
	// Without an error: the flag is there.
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

// relevanceBench is one run of the command.
type relevanceBench struct {
	*program
	data, qrels, runFile, jsonFile string
}

// relevanceReport is what it measured.
type relevanceReport struct {
	Documents int                          `json:"documents"`
	Embedder  string                       `json:"embedder"` // fingerprint
	Legs      map[string]relevance.Metrics `json:"legs"`     // lexical, vector, fused
}

// legs in the order in which they are shown.
var benchLegs = []string{memory.LegLexical, memory.LegVector, "fused"}

func (b *relevanceBench) run(ctx context.Context, config configs.Config) (err error) {
	set, err := relevance.Load(b.data)
	if err != nil {
		return err
	}
	if b.qrels != "" {
		if set.Qrels, err = relevance.LoadQrels(b.qrels); err != nil {
			return err
		}
	}
	if config.DataDir, err = os.MkdirTemp("", "mneme-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(config.DataDir)) }()
	report, runs, err := b.measure(ctx, config, set)
	if err != nil {
		return err
	}
	if b.runFile != "" {
		err := writeFile(b.runFile, func(f *os.File) error { return relevance.WriteRun(f, runs["fused"], "mneme") })
		if err != nil {
			return err
		}
	}
	if b.jsonFile == "-" {
		return b.printJSON(report)
	}
	if b.jsonFile != "" {
		err := writeFile(b.jsonFile, func(f *os.File) error {
			encoder := json.NewEncoder(f)
			encoder.SetIndent("", "  ")
			return encoder.Encode(report)
		})
		if err != nil {
			return err
		}
	}
	return b.print(report)
}

// measure imports the set and asks all its questions, once for each leg alone
// and once for both. A leg answers alone because the other one is taken away:
// the lexical one by a service without a model, the vector one by a storage
// whose lexical leg fails.
func (b *relevanceBench) measure(ctx context.Context, config configs.Config, set *relevance.Set) (_ relevanceReport, _ map[string]relevance.Run, err error) {
	log := b.logger(configs.Log{Level: "error", Format: "text"})
	service, err := backend.Open(ctx, config, log)
	if err != nil {
		return relevanceReport{}, nil, err
	}
	defer closing(service, &err)
	if err := b.load(ctx, service, set); err != nil {
		return relevanceReport{}, nil, err
	}
	report := relevanceReport{
		Documents: len(set.Documents), Embedder: service.Status(ctx).Serving, Legs: make(map[string]relevance.Metrics),
	}
	quiet := b.logger(configs.Log{Level: "error", Format: "text"})
	models, err := backend.OpenModels(config, quiet)
	if err != nil {
		return relevanceReport{}, nil, err
	}
	lexical, err := memory.New(ctx, service.Storage, backend.Options(config, quiet, nil))
	if err != nil {
		return relevanceReport{}, nil, err
	}
	ix, err := indexer.New(ctx, service.Storage, indexer.Options{Models: models, Log: quiet})
	if err != nil {
		return relevanceReport{}, nil, err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	vector, err := memory.New(ctx, vectorOnly{service.Storage}, backend.Options(config, quiet, ix))
	if err != nil {
		return relevanceReport{}, nil, err
	}
	runs := make(map[string]relevance.Run)
	for i, service := range []*memory.Service{lexical, vector, service.Service} {
		leg := benchLegs[i]
		if runs[leg], err = b.ask(ctx, service, leg, set); err != nil {
			return relevanceReport{}, nil, fmt.Errorf("%s: %w", leg, err)
		}
		report.Legs[leg] = relevance.Evaluate(set.Qrels, runs[leg])
	}
	return report, runs, nil
}

// load writes the documents, each by its store's own agent, and makes their
// vectors.
func (b *relevanceBench) load(ctx context.Context, service *backend.Instance, set *relevance.Set) error {
	bar := b.newBar(int64(len(set.Documents)), "writing")
	defer bar.Exit()
	to := importing{program: b.program, as: callerFlags{taint: acl.Public.String()}}
	sink := &localSink{service: service.Service, as: to.as}
	for start := 0; start < len(set.Documents); start += batch {
		var records []record
		for _, d := range set.Documents[start:min(start+batch, len(set.Documents))] {
			value, err := json.Marshal(d.Body())
			if err != nil {
				return err
			}
			path := memory.Path{Store: storeOr(d.Store), Key: d.ID}
			records = append(records, record{put: memory.PutRequest{Path: path, Value: value}})
		}
		if err := to.hand(ctx, sink, records); err != nil {
			return err
		}
		_ = bar.Add(len(records))
	}
	if refused := to.counts.Refused; len(refused) > 0 {
		return fmt.Errorf("%d documents were refused, the first because: %s", len(refused), refused[0].Reason)
	}
	return b.drain(ctx, service)
}

func storeOr(store string) string {
	if store == "" {
		return benchStore
	}
	return store
}

// ask puts every question that has a judgement.
func (b *relevanceBench) ask(ctx context.Context, service *memory.Service, leg string, set *relevance.Set) (relevance.Run, error) {
	bar := b.newBar(int64(len(set.Queries)), "asking "+leg)
	defer bar.Exit()
	run := make(relevance.Run, len(set.Queries))
	for _, q := range set.Queries {
		_ = bar.Add(1)
		if len(set.Qrels[q.ID]) == 0 {
			continue
		}
		caller := memory.Caller{Principal: acl.Principal{Agent: storeOr(q.Store), Taint: acl.Public}}
		answer, err := service.Search(ctx, caller, memory.SearchRequest{Query: q.Text, Limit: 100})
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		if leg == "fused" && len(answer.Degraded) > 0 {
			return nil, fmt.Errorf("question %s: the %v leg did not answer", q.ID, answer.Degraded)
		}
		run[q.ID] = scored(answer.Hits)
	}
	return run, nil
}

// scored keeps the order of an answer: trec_eval would order equal scores by
// id, so that each is put just below the one before it, as far as single
// precision can tell.
func scored(hits []memory.Hit) []relevance.Scored {
	out := make([]relevance.Scored, len(hits))
	above := float32(math.Inf(1))
	for i, h := range hits {
		score := min(float32(h.Score), math.Nextafter32(above, float32(math.Inf(-1))))
		out[i] = relevance.Scored{ID: h.Key, Score: float64(score)}
		above = score
	}
	return out
}

func (b *relevanceBench) print(report relevanceReport) error {
	table := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tnDCG@10\trecall@10\trecall@100\tMRR@10\tMAP\tquestions\t")
	for _, leg := range benchLegs {
		m := report.Legs[leg]
		fmt.Fprintf(table, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t\n",
			leg, m.NDCG10, m.Recall10, m.Recall100, m.MRR10, m.MAP, m.Queries)
	}
	return table.Flush()
}
