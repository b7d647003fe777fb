package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/configs"
	"mneme/memory"
)

func newBenchSpeed(p *program) *cobra.Command {
	b := speedBench{program: p}
	cmd := &cobra.Command{
		Use:   "speed",
		Short: "Measure import, size and search over generated memories",
		Long: `Writes generated memories into a data folder of its own, makes their vectors
with the configured embedder, and asks questions about them, one after another.
Prints rates, sizes, and how long each step of a search takes. The texts are the
same at each run with the same seed.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if b.entries < 1 || b.stores < 1 || b.questions < 1 {
				return usageError{errors.New("--entries, --stores and --questions must be above 0")}
			}
			return b.run(cmd.Context(), config)
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&b.entries, "entries", 10_000, "how many memories")
	flags.IntVar(&b.stores, "stores", 1, "over how many stores they are spread evenly")
	flags.IntVar(&b.questions, "questions", 300, "how many questions are asked, each in one store")
	flags.Uint64Var(&b.seed, "seed", 1, "of the texts")
	return cmd
}

// speedBench is one run of the command.
type speedBench struct {
	*program
	entries, stores, questions int
	seed                       uint64
}

// speedReport is what it measured.
type speedReport struct {
	Entries   int               `json:"entries"`
	Stores    int               `json:"stores"`
	Questions int               `json:"questions"`
	CPUs      int               `json:"cpus"`
	Embedder  string            `json:"embedder"` // fingerprint
	WriteS    float64           `json:"write_s"`
	VectorsS  float64           `json:"vectors_s"`
	DiskBytes int64             `json:"disk_bytes"`
	HeapBytes uint64            `json:"heap_bytes"`          // live, after a collection
	RSSBytes  int64             `json:"rss_bytes,omitempty"` // as the kernel counts; 0: not known here
	Steps     map[string]spread `json:"steps"`               // of a search, by name
}

// spread is how long a step takes, in milliseconds.
type spread struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
}

// speedSteps in the order in which they are shown. Lexical runs beside embed
// and vector.
var speedSteps = []string{"embed", "lexical", "vector", "fetch", "total"}

func (b *speedBench) run(ctx context.Context, config configs.Config) (err error) {
	if config.DataDir, err = os.MkdirTemp("", "mneme-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(config.DataDir)) }()
	report := speedReport{Entries: b.entries, Stores: b.stores, Questions: b.questions, CPUs: runtime.GOMAXPROCS(0)}
	service, err := open(ctx, config, b.logger(configs.Log{Level: "error", Format: "text"}))
	if err != nil {
		return err
	}
	defer closing(service, &err)
	report.Embedder = service.Status(ctx).Serving
	started := time.Now()
	if err := b.write(ctx, service); err != nil {
		return err
	}
	report.WriteS = time.Since(started).Seconds()
	started = time.Now()
	if err := b.drain(ctx, service); err != nil {
		return err
	}
	report.VectorsS = time.Since(started).Seconds()
	if report.Steps, err = b.ask(ctx, service); err != nil {
		return err
	}
	if report.DiskBytes, err = sizeOf(config.DataDir); err != nil {
		return err
	}
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	report.HeapBytes, report.RSSBytes = heap.HeapAlloc, resident()
	if b.json {
		return b.printJSON(report)
	}
	return b.print(report)
}

// store is the name of the store that a memory is in.
func (b *speedBench) store(entry int) string { return fmt.Sprintf("agent-%d", entry%b.stores) }

func (b *speedBench) write(ctx context.Context, service *opened) error {
	bar := b.newBar(int64(b.entries), "writing")
	defer bar.Exit()
	to := importing{program: b.program, as: callerFlags{taint: acl.Public.String()}}
	sink := &localSink{service: service.Service, as: to.as}
	// A store's memories go in batches, as its agent would send them.
	for store := range min(b.stores, b.entries) {
		var records []record
		for entry := store; entry < b.entries; entry += b.stores {
			value, err := json.Marshal(newMemory(b.seed, entry).text())
			if err != nil {
				return err
			}
			path := memory.Path{Store: b.store(entry), Key: fmt.Sprintf("memory/%07d", entry)}
			records = append(records, record{put: memory.PutRequest{Path: path, Value: value}})
			if len(records) < batch && entry+b.stores < b.entries {
				continue
			}
			if err := to.hand(ctx, sink, records); err != nil {
				return err
			}
			_ = bar.Add(len(records))
			records = records[:0]
		}
	}
	if refused := to.counts.Refused; len(refused) > 0 {
		return fmt.Errorf("%d memories were refused, the first because: %s", len(refused), refused[0].Reason)
	}
	return nil
}

// ask puts questions about memories spread over the whole set, each by the
// agent of their store.
func (b *speedBench) ask(ctx context.Context, service *opened) (map[string]spread, error) {
	const warmUp = 10 // questions that are not counted
	bar := b.newBar(int64(b.questions), "asking")
	defer bar.Exit()
	took := make(map[string][]time.Duration)
	for i := range warmUp + b.questions {
		entry := int(uint64(i) * 2_654_435_761 % uint64(b.entries)) // Knuth's multiplicative hash
		caller := memory.Caller{Principal: acl.Principal{Agent: b.store(entry), Taint: acl.Public}}
		// Each question is new, so that no cache answers it.
		query := newMemory(b.seed, entry).question() + " " + strconv.Itoa(i)
		started := time.Now()
		answer, err := service.Search(ctx, caller, memory.SearchRequest{Query: query, Limit: 10})
		total := time.Since(started)
		if err != nil {
			return nil, err
		}
		if len(answer.Degraded) > 0 {
			return nil, fmt.Errorf("the %s leg did not answer", strings.Join(answer.Degraded, " and "))
		}
		if i < warmUp {
			continue
		}
		for n, d := range []time.Duration{answer.Took.Embed, answer.Took.Lexical, answer.Took.Vector, answer.Took.Fetch, total} {
			took[speedSteps[n]] = append(took[speedSteps[n]], d)
		}
		_ = bar.Add(1)
	}
	steps := make(map[string]spread, len(took))
	for step, all := range took {
		slices.Sort(all)
		steps[step] = spread{P50: quantile(all, .50), P99: quantile(all, .99)}
	}
	return steps, nil
}

// quantile of sorted durations in milliseconds: the smallest that at least
// the share q of them does not exceed.
func quantile(sorted []time.Duration, q float64) float64 {
	n := int(q*float64(len(sorted)) + 1 - 1e-9)
	return float64(sorted[max(0, min(n, len(sorted))-1)].Microseconds()) / 1000
}

// sizeOf adds up the files of a folder.
func sizeOf(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// resident is the memory of this process that is in use, as Linux counts it.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			return kB << 10
		}
	}
	return 0
}

func (b *speedBench) print(r speedReport) error {
	const MB = 1 << 20
	table := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "entries, stores\t%d, %d (%d CPUs)\n", r.Entries, r.Stores, r.CPUs)
	fmt.Fprintf(table, "written in\t%.1f s (%s)\n", r.WriteS, rate(int64(r.Entries), seconds(r.WriteS)))
	fmt.Fprintf(table, "vectors made in\t%.1f s (%s)\n", r.VectorsS, rate(int64(r.Entries), seconds(r.VectorsS)))
	fmt.Fprintf(table, "on disk\t%.1f MB\n", float64(r.DiskBytes)/MB)
	fmt.Fprintf(table, "in memory\t%.1f MB live heap, %.1f MB resident\n", float64(r.HeapBytes)/MB, float64(r.RSSBytes)/MB)
	fmt.Fprintf(table, "search, ms\tp50\tp99\n")
	for _, step := range speedSteps {
		fmt.Fprintf(table, "  %s\t%.2f\t%.2f\n", step, r.Steps[step].P50, r.Steps[step].P99)
	}
	return table.Flush()
}
