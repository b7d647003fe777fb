// Command simulation simulates searches, writes and the indexing queue of a large
// deployment of mneme, with costs measured on a small one: discrete events at
// queues for the cores of mneme, PostgreSQL and Milvus. docs/scale.md describes
// the model and its results.
//
//	go run ./benchmarks/simulation -searches 1000 -processes 4 -postgres 4 -milvus 4
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulation:", err)
		os.Exit(2)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("simulation", flag.ContinueOnError)
	var d deployment
	var l load
	milliseconds := measured()
	flags.Float64Var(&l.Searches, "searches", 1000, "searches a second")
	flags.Float64Var(&l.Writes, "writes", 100, "writes a second")
	flags.IntVar(&d.Processes, "processes", 4, "mneme processes, each on a machine of its own")
	flags.IntVar(&d.Postgres, "postgres", 4, "PostgreSQL nodes, over which stores are spread")
	flags.IntVar(&d.Milvus, "milvus", 4, "Milvus query nodes, over which stores are spread")
	flags.IntVar(&d.Cores, "cores", 8, "cores of each machine")
	flags.IntVar(&d.Batch, "batch", 1000, "entries in a lease")
	flags.Float64Var(&d.LeaseFor, "lease", 60, "seconds until the lease of a killed process ends")
	flags.Float64Var(&d.KillsAnHour, "kills", 0, "how often an hour a process is killed")
	for _, c := range milliseconds.list() {
		flags.Float64Var(c.at, c.name, *c.at, "milliseconds: "+c.what)
	}
	seconds := flags.Float64("seconds", 60, "simulated time, after 10 seconds to warm up")
	seed := flags.Uint64("seed", 1, "seed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.Processes < 1 || d.Postgres < 1 || d.Milvus < 1 || d.Cores < 1 || d.Batch < 1 || *seconds <= 0 {
		return fmt.Errorf("machines, cores, batch and seconds must be above 0")
	}
	const warm = 10
	x := newCluster(*seed, milliseconds.seconds(), d, l, warm)
	x.run(warm + *seconds)
	return x.report(out)
}

// measured returns the default costs, in milliseconds. docs/scale.md describes
// how each was measured.
func measured() costs {
	return costs{
		Question: 4, Passage: 5.7, Serve: 1.5, Lexical: 2.25, Fetch: 2.8, Vector: 2.9,
		Write: 1.0, Save: .1, Upsert: .45, RoundTrip: .25, Tick: 200,
	}
}

// cost is one of the costs with its name.
type cost struct {
	at         *float64
	name, what string
}

func (c *costs) list() []cost {
	return []cost{
		{&c.Question, "question", "to embed a question"},
		{&c.Passage, "passage", "to embed an entry"},
		{&c.Serve, "serve", "of a search in mneme, without embedding"},
		{&c.Lexical, "lexical", "of the words of a search in PostgreSQL"},
		{&c.Fetch, "fetch", "of a search's candidates in PostgreSQL"},
		{&c.Vector, "vector", "of a search in Milvus"},
		{&c.Write, "write", "of a put in PostgreSQL"},
		{&c.Save, "save", "of an entry's vectors in PostgreSQL"},
		{&c.Upsert, "upsert", "of an entry's vectors in Milvus"},
		{&c.Tick, "tick", "until searches see what was written to Milvus"},
		{&c.RoundTrip, "roundtrip", "of each step over the network"},
	}
}

// seconds converts milliseconds.
func (c costs) seconds() costs {
	for _, one := range c.list() {
		*one.at /= 1000
	}
	return c
}

// report prints latencies, lags and how busy the machines were.
func (x *cluster) report(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tcount\tp50, ms\tp95, ms\tp99, ms\t")
	for _, row := range []struct {
		name    string
		samples []float64
	}{{"searches", x.searches}, {"writes until found", x.lags}} {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t\n", row.name, len(row.samples),
			1000*percentile(row.samples, .5), 1000*percentile(row.samples, .95), 1000*percentile(row.samples, .99))
	}
	fmt.Fprintln(w, "\tmachines\tbusy, mean\tbusy, most\twaiting, most\t")
	for _, row := range []struct {
		name string
		all  []*station
	}{{"mneme", x.mneme}, {"postgres", x.postgres}, {"milvus", x.milvus}} {
		var sum, most float64
		longest := 0
		for _, s := range row.all {
			u := s.utilisation(x.now)
			sum, most, longest = sum+u, max(most, u), max(longest, s.longest)
		}
		fmt.Fprintf(w, "%s\t%d\t%.0f%%\t%.0f%%\t%d\t\n", row.name, len(row.all), 100*sum/float64(len(row.all)), 100*most, longest)
	}
	fmt.Fprintf(w, "queue at the end\t%d\t\t\t\t\n", len(x.queue)+x.leased)
	return w.Flush()
}

// percentile returns the smallest sample that a fraction of the samples does
// not exceed, or 0 without samples.
func percentile(samples []float64, share float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
