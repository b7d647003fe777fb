// Package extraction measures how much of a store an agent can copy by buying
// searches, the cost, and the time under the caps of an offer. It compares
// several strategies with an honest buyer, who has real questions.
package extraction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"mneme/benchmarks/harness"
	"mneme/configs"
	"mneme/meter"
	"mneme/search"
)

// Source is a store to be sold, and the questions of a buyer who wants answers.
type Source struct {
	Name      string
	Texts     []string
	Questions []string
}

// Benchmark is a configured measurement.
type Benchmark struct {
	Sources  []Source
	Searches int   // of each run, at most
	Prices   Price // micros
	Days     int   // maximum length of a run
	Seed     uint64
	Progress harness.Progress
	Log      *slog.Logger
}

// Price is what an offer asks for, in micros.
type Price struct {
	Search int64 `json:"search"`
	Entry  int64 `json:"entry"`
}

// Variant is a choice of terms.
type Variant struct {
	Name  string
	Terms func(Price) meter.TermsRequest
}

// Variants are the terms that are compared.
func Variants() []Variant {
	return []Variant{
		{"no caps, flat price", func(p Price) meter.TermsRequest {
			t := uncapped(p)
			t.NoveltyPercent = new(int64)
			return t
		}},
		{"no caps, novelty price", uncapped},
		{"default terms", func(p Price) meter.TermsRequest {
			return meter.TermsRequest{PriceSearch: &p.Search, PriceEntry: &p.Entry}
		}},
	}
}

// uncapped returns terms whose caps no run reaches.
func uncapped(p Price) meter.TermsRequest {
	most := int64(1_000_000_000)
	return meter.TermsRequest{
		PriceSearch: &p.Search, PriceEntry: &p.Entry,
		SearchesPerMinute: &most, SearchesPerDay: &most, EntriesPerDay: &most, EntriesTotal: &most,
	}
}

// Report holds the results of a benchmark.
type Report struct {
	Searches int      `json:"searches"` // of each run, at most
	Days     int      `json:"days"`
	Prices   Price    `json:"prices"`
	Sources  []Result `json:"sources"`
}

// Result holds the results for one source.
type Result struct {
	Source  string `json:"source"`
	Entries int    `json:"entries"`
	Runs    []Run  `json:"runs"`
}

// Run is one buyer under one choice of terms.
type Run struct {
	Terms    string  `json:"terms"`
	Strategy string  `json:"strategy"`
	Points   []Point `json:"points"`
	End      string  `json:"end"` // why it ended
}

// Last returns the state at the end of the run.
func (r Run) Last() Point {
	if len(r.Points) == 0 {
		return Point{}
	}
	return r.Points[len(r.Points)-1]
}

// Point is the state of a run after a number of searches.
type Point struct {
	Searches int     `json:"searches"`
	Entries  int     `json:"entries"` // distinct, revealed
	Cost     int64   `json:"cost"`    // micros
	Days     float64 `json:"days"`    // of simulated time
}

// PerEntry returns what each revealed entry cost, in micros; 0 if there are none.
func (p Point) PerEntry() float64 {
	if p.Entries == 0 {
		return 0
	}
	return float64(p.Cost) / float64(p.Entries)
}

// Honest names the run of a buyer with real questions.
const Honest = "honest questions"

// Run measures every source under every choice of terms.
func (b Benchmark) Run(ctx context.Context, config configs.Config) (Report, error) {
	report := Report{Searches: b.Searches, Days: b.Days, Prices: b.Prices}
	for _, source := range b.Sources {
		result, err := b.measure(ctx, config, source)
		if err != nil {
			return report, fmt.Errorf("%s: %w", source.Name, err)
		}
		report.Sources = append(report.Sources, result)
	}
	return report, nil
}

func (b Benchmark) measure(ctx context.Context, config configs.Config, source Source) (result Result, err error) {
	result = Result{Source: source.Name, Entries: len(source.Texts)}
	dictionary, err := dictionary()
	if err != nil {
		return result, err
	}
	s, err := openShop(ctx, config, source, b.Progress, b.Log)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	for _, variant := range Variants() {
		offer, err := s.offer(ctx, variant.Terms(b.Prices))
		if err != nil {
			return result, err
		}
		for i, strategy := range strategies() {
			buyer, err := s.newBuyer(ctx, offer)
			if err != nil {
				return result, err
			}
			r := rand.New(rand.NewPCG(b.Seed, uint64(i))) //nolint:gosec // reproducible, not secret
			l := newLoot(dictionary)
			run := Run{Terms: variant.Name, Strategy: strategy.name}
			err = b.run(ctx, &run, buyer, len(source.Texts), b.Searches, func(int) string { return strategy.next(r, l) }, l)
			if err != nil {
				return result, err
			}
			result.Runs = append(result.Runs, run)
		}
		buyer, err := s.newBuyer(ctx, offer)
		if err != nil {
			return result, err
		}
		run := Run{Terms: variant.Name, Strategy: Honest}
		err = b.run(ctx, &run, buyer, len(source.Texts), len(source.Questions), func(i int) string { return source.Questions[i] }, newLoot(nil))
		if err != nil {
			return result, err
		}
		result.Runs = append(result.Runs, run)
	}
	return result, nil
}

// askEvery is the simulated time from one question to the next where no cap makes
// the buyer wait.
const askEvery = time.Second

// run asks until it reaches the number of searches or days, the store is copied, or
// the offer sells no more.
func (b Benchmark) run(ctx context.Context, run *Run, buyer *buyer, entries, searches int, question func(int) string, l *loot) error {
	bar := b.Progress.Start(int64(searches), fmt.Sprintf("%s, %s", run.Terms, run.Strategy))
	defer bar.Exit()
	started := buyer.clock.Now()
	now := Point{}
	run.End = "all searches were made"
	for i := 0; i < searches; i++ {
		answer, err := buyer.ask(ctx, question(i))
		var spent *search.CapError
		switch {
		case spentForGood(err):
			run.End = "the offer sells no more to this buyer"
		case errors.As(err, &spent):
			buyer.clock.advance(spent.RetryAfter)
			i-- // asks once more
		case err != nil:
			return err
		default:
			buyer.clock.advance(askEvery)
			now.Searches++
			now.Cost += answer.cost
			for _, hit := range answer.hits {
				l.add(hit.key, hit.text)
			}
			now.Entries = len(l.revealed)
			_ = bar.Add(1)
		}
		now.Days = buyer.clock.Now().Sub(started).Hours() / 24
		if err == nil && reported(now.Searches) {
			run.Points = append(run.Points, now)
		}
		switch {
		case now.Entries == entries:
			run.End = "the store is copied"
		case now.Days >= float64(b.Days):
			run.End = fmt.Sprintf("%d days have passed", b.Days)
		case run.End == "all searches were made":
			continue
		}
		break
	}
	if run.Last() != now {
		run.Points = append(run.Points, now)
	}
	return nil
}

// reported reports whether a run's state after n searches is a point: at 1, 2, 5,
// 10, 20, 50 …
func reported(n int) bool {
	for n >= 10 && n%10 == 0 {
		n /= 10
	}
	return n == 1 || n == 2 || n == 5
}
