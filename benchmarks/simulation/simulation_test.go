package main

import (
	"bytes"
	"math"
	"testing"
)

// near fails unless got is within a share of want.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s is %.4f, want %.4f", what, got, want)
	}
}

// times simulates Poisson arrivals at a station with exponential service of mean 1 s,
// and returns the mean time from arrival to departure.
func times(servers int, perSecond float64, p func(*simulator) priority) (s *station, mean [background + 1]float64) {
	sim := newSimulator(7)
	s = &station{sim: sim, servers: servers}
	var count [background + 1]float64
	sim.arrivals(perSecond, func() {
		from, of := sim.now, p(sim)
		s.serve(of, sim.random.ExpFloat64(), func() {
			mean[of] += sim.now - from
			count[of]++
		})
	})
	sim.run(200_000)
	for of := range mean {
		mean[of] /= max(1, count[of])
	}
	return s, mean
}

func first(*simulator) priority { return search }

// M/M/1: the time in the system is 1/(μ-λ).
func TestOneServerAgreesWithTheory(t *testing.T) {
	for _, load := range []float64{.3, .5, .8} {
		s, mean := times(1, load, first)
		near(t, "time", mean[search], 1/(1-load), .05)
		near(t, "utilisation", s.utilisation(s.sim.now), load, .02)
	}
}

// M/M/c: the wait follows Erlang's formula C.
func TestSeveralServersAgreeWithErlang(t *testing.T) {
	const c, load = 4, 3.2
	sum, term := 0.0, 1.0 // of load^k/k!
	for k := range c {
		sum += term
		term *= load / float64(k+1)
	}
	queued := term / (1 - load/c)
	wait := queued / (sum + queued) / (c - load)
	_, mean := times(c, load, first)
	near(t, "time", mean[search], 1+wait, .05)
}

// M/M/1 with non-preemptive priorities: Cobham's formula.
func TestSearchesComeBeforeTheBackground(t *testing.T) {
	_, mean := times(1, .8, func(s *simulator) priority { return priority(s.random.IntN(2)) })
	near(t, "time of searches", mean[search], 1+.8/(1-.4), .05)
	near(t, "time of the background", mean[background], 1+.8/((1-.4)*(1-.8)), .05)
}

func report(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(append([]string{"-seconds", "5", "-searches", "200", "-processes", "1", "-postgres", "1", "-milvus", "1"}, args...), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheSameSeedGivesTheSameReport(t *testing.T) {
	if a, b := report(t), report(t); a != b {
		t.Errorf("two runs:\n%s\n%s", a, b)
	}
	if report(t) == report(t, "-seed", "2") {
		t.Error("another seed gives the same report")
	}
}

// On idle machines a search takes the sum of its steps.
func TestIdleSearchTakesItsSteps(t *testing.T) {
	c := measured().seconds()
	x := newCluster(1, c, deployment{Processes: 1, Postgres: 1, Milvus: 1, Cores: 8, Batch: 256}, load{Searches: 1}, 0)
	x.run(20_000)
	sum := 0.0
	for _, s := range x.searches {
		sum += s
	}
	path := c.Question + c.RoundTrip + c.Vector + c.RoundTrip + c.Fetch + c.Serve // the longer leg
	near(t, "mean", sum/float64(len(x.searches)), path, .05)
}

// Every written entry is indexed, including entries of killed processes, after
// their lease.
func TestKilledProcessesLoseNoEntry(t *testing.T) {
	d := deployment{Processes: 3, Postgres: 1, Milvus: 1, Cores: 4, Batch: 16, LeaseFor: 5, KillsAnHour: 20_000}
	x := newCluster(3, measured().seconds(), d, load{Writes: 50}, 0)
	written := 0
	for x.now < 60 {
		x.run(x.now + 1)
	}
	written = len(x.lags) + len(x.queue) + x.leased
	if x.killed == 0 {
		t.Fatal("no process was killed")
	}
	near(t, "writes", float64(written), 50*60, .1)
	if worst := percentile(x.lags, 1); worst < d.LeaseFor {
		t.Errorf("the longest lag is %.1f s, less than a lease", worst)
	}
}
