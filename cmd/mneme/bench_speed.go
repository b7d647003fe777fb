package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mneme/backend"
	"mneme/benchmarks/measure"
	"mneme/benchmarks/workload"
	"mneme/configs"
	"mneme/embed"
)

func newBenchSpeed(p *program) *cobra.Command {
	b := speedBench{program: p}
	cmd := &cobra.Command{
		Use:   "speed",
		Short: "Measure import, size, search and recall over generated memories",
		Long: `Writes generated memories, makes and indexes their vectors, asks questions
about them one after another, and prints a table: a column for each backend and
size, and how each figure grows from the smallest size to the largest.

Backends are STORAGE+VECTOR, as sqlite+flat or postgres+milvus; Postgres and
Milvus are those of the configuration. Everything is measured in a place of its
own, which is removed at the end, also after an interruption: a temporary
folder, a schema of Postgres and collections of Milvus whose names begin with
mneme_bench_. The database's role must be allowed to create a schema.

Texts are the same at each run with the same seed. Synthetic vectors resemble
those of the model and take next to no time; questions run through the model all
the same, and its own rate is measured on a sample. Recall is that of the vector
index against an exact scan of the same vectors, within scopes of a hundredth, a
tenth and all of the stores.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if err := b.check(config); err != nil {
				return usageError{err}
			}
			return b.run(cmd.Context(), config)
		}),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.names, "backends", nil, "`list` of backends (default sqlite+flat, and what is configured beside it)")
	flags.IntSliceVar(&b.entries, "entries", []int{20_000, 200_000}, "`list` of sizes: how many memories")
	flags.IntVar(&b.stores, "stores", 1000, "over how many stores they are spread evenly")
	flags.IntVar(&b.questions, "questions", 300, "how many questions are asked, each in one store")
	flags.StringVar(&b.vectors, "vectors", vectorsSynthetic, "synthetic, or model: those of the configured embedder")
	flags.Uint64Var(&b.seed, "seed", 1, "of the texts")
	return cmd
}

// What the vectors are made by.
const (
	vectorsSynthetic = "synthetic"
	vectorsModel     = "model"
)

// speedBench is one run of the command.
type speedBench struct {
	*program
	names             []string // --backends
	backends          []combination
	entries           []int // ascending
	stores, questions int
	vectors           string
	seed              uint64
}

// combination is a storage with a vector index.
type combination struct{ storage, vector string }

func (b combination) String() string { return b.storage + "+" + b.vector }

// check reads the flags.
func (b *speedBench) check(config configs.Config) error {
	if len(b.entries) == 0 || slices.Min(b.entries) < 1 || b.stores < 1 || b.questions < 1 {
		return errors.New("--entries, --stores and --questions must be above 0")
	}
	slices.Sort(b.entries)
	b.entries = slices.Compact(b.entries)
	if b.vectors != vectorsSynthetic && b.vectors != vectorsModel {
		return errors.New("--vectors must be synthetic or model")
	}
	if len(b.names) == 0 {
		b.backends = configured(config)
	}
	for _, name := range b.names {
		storage, vector, _ := strings.Cut(name, "+")
		if !slices.Contains([]string{"sqlite", "postgres"}, storage) || !slices.Contains([]string{"flat", "milvus"}, vector) {
			return errors.New("--backends takes sqlite or postgres, +, and flat or milvus: sqlite+flat,postgres+milvus")
		}
		b.backends = append(b.backends, combination{storage, vector})
	}
	return nil
}

// configured is the embedded backend, and beside it the one of the servers
// that the configuration names.
func configured(config configs.Config) []combination {
	embedded := combination{"sqlite", "flat"}
	served := embedded
	if config.Postgres.DSN != "" {
		served.storage = "postgres"
	}
	if config.Milvus.Addr != "" {
		served.vector = "milvus"
	}
	return slices.Compact([]combination{embedded, served})
}

// run measures every backend at every size. Where one fails, those before it
// are shown all the same.
func (b *speedBench) run(ctx context.Context, config configs.Config) error {
	report := speedReport{
		CPUs: runtime.GOMAXPROCS(0), Stores: b.stores, Questions: b.questions, Seed: b.seed, Vectors: b.vectors,
	}
	model, err := backend.OpenEmbedder(config)
	if err != nil {
		return err
	}
	if report.Model, err = b.measureModel(ctx, model); err != nil {
		return err
	}
	embedder := model
	if b.vectors == vectorsSynthetic {
		if embedder, err = workload.NewSynthetic(ctx, model); err != nil {
			return err
		}
	}
	for _, on := range b.backends {
		for _, entries := range b.entries {
			c := columnBench{speedBench: b, backend: on, entries: entries, embedder: embedder}
			measured, failed := c.run(ctx, config)
			if failed != nil {
				err = fmt.Errorf("%s with %d entries: %w", on, entries, failed)
				break
			}
			report.Columns = append(report.Columns, measured)
		}
	}
	if len(report.Columns) == 0 {
		return err
	}
	if b.json {
		return errors.Join(err, b.printJSON(report))
	}
	return errors.Join(err, report.print(b.out))
}

// measureModel takes the model's own speed, on texts and questions that come
// up nowhere else.
func (b *speedBench) measureModel(ctx context.Context, model embed.Embedder) (modelSpeed, error) {
	const texts, questions = 128, 32
	var sample []string
	for i := range texts {
		sample = append(sample, workload.NewMemory(^b.seed, i).Text())
	}
	began := time.Now()
	if _, err := model.Passages(ctx, sample); err != nil {
		return modelSpeed{}, err
	}
	m := modelSpeed{Fingerprint: model.Fingerprint(), TextsPerS: texts / time.Since(began).Seconds()}
	var took []time.Duration
	for i := range questions {
		began := time.Now()
		if _, err := model.Query(ctx, workload.NewMemory(^b.seed, i).Question()); err != nil {
			return modelSpeed{}, err
		}
		took = append(took, time.Since(began))
	}
	m.Question = measure.NewLatency(took)
	return m, nil
}
