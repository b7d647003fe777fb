package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mneme/benchmarks/relevance"
	"mneme/benchmarks/relevance/page"
	"mneme/configs"
)

func newBenchRelevance(p *program) *cobra.Command {
	b := relevanceBench{program: p}
	cmd := &cobra.Command{
		Use:   "relevance [--data DIR]…",
		Short: "Measure the ranking on questions with judgements",
		Long: `Imports datasets in BEIR's layout, runs every question that has an answer, and
prints the measures of the lexical leg, the vector leg, their fusion by rank (rrf)
and the ranking by relevance, with the differences between any two, their 95 %
intervals and significance. With rerank.url configured, it also measures the ranking
with that service (rerank), to which the texts are sent. Without --data it uses the questions about the sample
memories.

A dataset is a folder with corpus.jsonl, queries.jsonl and qrels.tsv. In place of
corpus.jsonl it may have memories.jsonl, the output of mneme export; then judgements
name documents as STORE/KEY. Documents and queries may name a store; a query
searches its own. Measures are trec_eval's.

Each dataset is imported into a sandbox on the configured backend, which is removed
afterwards: a temporary folder, a PostgreSQL schema and Milvus collections whose
names begin with mneme_bench_. Vectors are kept in a cache, so that a second run
embeds nothing. The cache holds vectors and hashes of texts; it may be deleted.

With several datasets, the files of --qrels, --run-in and --unanswerable are given
as DATASET=FILE, where DATASET is the name of a folder.`,
		Args: cobra.NoArgs,
		RunE: p.measure(&b),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.data, "data", nil, "`folder` of a dataset; may be repeated")
	flags.StringArrayVar(&b.qrels, "qrels", nil, "use the judgements in this `file` instead of the dataset's")
	flags.StringArrayVar(&b.runsIn, "run-in", nil, "measure another system's run, too: a `file` in TREC run format, named by its tag")
	flags.StringArrayVar(&b.unanswerable, "unanswerable", nil, "`file` of further queries that no document answers")
	flags.BoolVar(&b.wrongStore, "wrong-store", false, "also ask each query of a store that is not its own, where it has no answer")
	flags.StringSliceVar(&b.Slices, "slice", nil, "group the queries by this `field` of theirs, or by store-size; may be repeated")
	flags.IntVar(&b.Changes, "losses", 10, "`number` of wins and losses that are shown for two runs; in the table only if it is given")
	flags.StringVar(&b.runFile, "run", "", "write the ranking by relevance to this `file` in TREC run format")
	flags.StringVar(&b.runsDir, "runs", "", "write all rankings to this `folder`, each to DATASET.RUN.trec")
	// This flag replaces the global --json, which takes no value.
	flags.StringVar(&b.jsonFile, "json", "", "write all figures to this `file`; - prints them instead of the table")
	flags.StringVar(&b.htmlFile, "html", "", "write a page with tables and plots to this `file`")
	flags.StringVar(&b.Cache, "cache", "", "`folder` of the vector cache (default: mneme/vectors in the user's cache folder)")
	flags.BoolVar(&b.noCache, "no-cache", false, "keep no vectors")
	flags.Uint64Var(&b.Seed, "seed", 1, "seed of intervals and significance tests")
	return cmd
}

// relevanceBench is one run of the command.
type relevanceBench struct {
	*program
	relevance.Benchmark
	data, qrels, runsIn, unanswerable    []string
	runFile, runsDir, jsonFile, htmlFile string
	wrongStore, noCache                  bool
}

// check validates the flags.
func (b *relevanceBench) check(cmd *cobra.Command, _ configs.Config) error {
	switch {
	case b.noCache && b.Cache != "":
		return errors.New("--cache and --no-cache exclude each other")
	case b.Changes < 0:
		return errors.New("--losses must not be negative")
	case b.runFile != "" && len(b.data) > 1:
		return errors.New("--run needs a single dataset; --runs writes the rankings of several")
	}
	if b.Cache == "" && !b.noCache {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("the cache folder is unknown; use --cache or --no-cache: %w", err)
		}
		b.Cache = filepath.Join(dir, "mneme", "vectors")
	}
	return nil
}

func (b *relevanceBench) run(cmd *cobra.Command, config configs.Config) error {
	if err := b.load(); err != nil {
		return err
	}
	b.Progress, b.Log = b.progress, b.benchLogger()
	report, runs, err := b.Run(cmd.Context(), config)
	if err != nil {
		return err
	}
	if err := b.writeRuns(runs); err != nil {
		return err
	}
	if b.htmlFile != "" {
		if err := writeFile(b.htmlFile, func(f *os.File) error { return page.Write(f, report) }); err != nil {
			return err
		}
	}
	switch b.jsonFile {
	case "":
	case "-":
		return b.printJSON(report)
	default:
		err := writeFile(b.jsonFile, func(f *os.File) error {
			encoder := json.NewEncoder(f)
			encoder.SetIndent("", "  ")
			return encoder.Encode(report)
		})
		if err != nil {
			return err
		}
	}
	return report.WriteTable(b.out, cmd.Flags().Changed("losses"))
}

// load reads the datasets and their files.
func (b *relevanceBench) load() error {
	if len(b.data) == 0 {
		set, slices, err := relevance.Samples()
		if err != nil {
			return err
		}
		b.Sets = []*relevance.Set{set}
		if len(b.Slices) == 0 {
			b.Slices = slices
		}
	}
	for _, dir := range b.data {
		dataset, err := relevance.Load(dir)
		if err != nil {
			return err
		}
		b.Sets = append(b.Sets, &relevance.Set{Dataset: dataset, WrongStore: b.wrongStore})
	}
	if b.wrongStore && !hasStores(b.Sets) {
		return errors.New("--wrong-store needs a dataset with two stores or more")
	}
	err := b.eachFile("qrels", b.qrels, func(set *relevance.Set, path string) error { return set.UseQrels(path) })
	if err != nil {
		return err
	}
	err = b.eachFile("unanswerable", b.unanswerable, func(set *relevance.Set, path string) error {
		queries, err := set.LoadQueries(path)
		set.Unanswerable = append(set.Unanswerable, queries...)
		return err
	})
	if err != nil {
		return err
	}
	return b.eachFile("run-in", b.runsIn, func(set *relevance.Set, path string) error {
		run, tag, err := relevance.ReadRun(path)
		set.Imported = append(set.Imported, relevance.NamedRun{Name: tag, Run: run})
		return err
	})
}

// eachFile calls fn for the values of a flag, [DATASET=]FILE.
func (b *relevanceBench) eachFile(flag string, values []string, fn func(set *relevance.Set, path string) error) error {
	for _, value := range values {
		set, path := b.Sets[0], value
		named := false
		for _, one := range b.Sets {
			if rest, ok := strings.CutPrefix(value, one.Name+"="); ok {
				set, path, named = one, rest, true
			}
		}
		if !named && len(b.Sets) > 1 {
			return usageError{fmt.Errorf("--%s %s: with several datasets it must be DATASET=FILE", flag, value)}
		}
		if err := fn(set, path); err != nil {
			return err
		}
	}
	return nil
}

// hasStores reports whether a set has two stores or more.
func hasStores(sets []*relevance.Set) bool {
	for _, set := range sets {
		if set.Stores() > 1 {
			return true
		}
	}
	return false
}

// writeRuns writes the requested run files.
func (b *relevanceBench) writeRuns(runs [][]relevance.NamedRun) error {
	write := func(path string, run relevance.NamedRun) error {
		return writeFile(path, func(f *os.File) error { return relevance.WriteRun(f, run.Run, "mneme-"+run.Name) })
	}
	if b.runsDir != "" {
		if err := os.MkdirAll(b.runsDir, 0o750); err != nil {
			return err
		}
	}
	for i, set := range b.Sets {
		for _, run := range relevance.OwnRuns(runs[i]) {
			if b.runFile != "" && run.Name == relevance.SystemRelevance {
				if err := write(b.runFile, run); err != nil {
					return err
				}
			}
			if b.runsDir == "" {
				continue
			}
			if err := write(filepath.Join(b.runsDir, set.Name+"."+run.Name+".trec"), run); err != nil {
				return err
			}
		}
	}
	return nil
}
