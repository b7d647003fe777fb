package main

import "math"

// costs are the core seconds of the steps of a search and of a write, as measured
// (docs/scale.md). Latencies on an idle machine are used as an upper bound of a
// server's work.
type costs struct {
	Question  float64 // embedding a question
	Passage   float64 // embedding an entry
	Serve     float64 // all else of a search in mneme: ranking, JSON
	Lexical   float64 // the lexical leg of a search, in PostgreSQL
	Fetch     float64 // rows, vectors and values of its candidates in PostgreSQL
	Vector    float64 // a search in Milvus
	Write     float64 // a put in PostgreSQL
	Save      float64 // an entry's vectors in PostgreSQL
	Upsert    float64 // an entry's vectors in Milvus
	RoundTrip float64 // over the network, of each of these steps; not work
	Tick      float64 // until searches see writes to Milvus; not work
}

// deployment is a set of machines. Stores are spread over the partitions of rows
// and of vectors, so that a search in one store asks one of each.
type deployment struct {
	Processes   int // of mneme
	Postgres    int // nodes
	Milvus      int // query nodes
	Cores       int // of each of them
	Batch       int // entries in a lease
	LeaseFor    float64
	KillsAnHour float64 // of mneme processes, while they hold a lease
}

// load is the callers' request rate.
type load struct {
	Searches, Writes float64 // a second
}

// cluster is a running deployment.
type cluster struct {
	*simulator
	costs
	deployment
	mneme, postgres, milvus []*station

	queue  []float64 // when each entry in the queue was written
	idle   []int     // the process of each worker that waits
	leased int       // entries under a lease
	killed int

	searches, lags []float64 // seconds
	warm           float64   // earlier events are not counted
}

func newCluster(seed uint64, c costs, d deployment, l load, warm float64) *cluster {
	s := newSimulator(seed)
	x := &cluster{
		simulator: s, costs: c, deployment: d, warm: warm,
		mneme: stations(s, d.Processes, d.Cores), postgres: stations(s, d.Postgres, d.Cores), milvus: stations(s, d.Milvus, d.Cores),
	}
	for i := range leases * d.Processes {
		x.idle = append(x.idle, i%d.Processes)
	}
	s.arrivals(l.Searches, x.search)
	s.arrivals(l.Writes, x.write)
	return x
}

func stations(s *simulator, n, servers int) []*station {
	all := make([]*station, n)
	for i := range all {
		all[i] = &station{sim: s, servers: servers}
	}
	return all
}

func (x *cluster) one(of []*station) *station { return of[x.random.IntN(len(of))] }

// work returns how long a step takes: half of its mean always, and the rest
// exponentially distributed.
func (x *cluster) work(mean float64) float64 { return mean * (.5 + .5*x.random.ExpFloat64()) }

// ask sends work to a server and waits for the answer.
func (x *cluster) ask(at *station, p priority, mean float64, done func()) {
	x.after(x.RoundTrip, func() { at.serve(p, x.work(mean), done) })
}

// search is one search in one store: both legs concurrently, then the
// candidates.
func (x *cluster) search() {
	from := x.now
	process, rows, vectors := x.one(x.mneme), x.one(x.postgres), x.one(x.milvus)
	legs := 2
	joined := func() {
		if legs--; legs > 0 {
			return
		}
		x.ask(rows, search, x.Fetch, func() {
			process.serve(search, x.work(x.Serve), func() { x.count(&x.searches, from) })
		})
	}
	x.ask(rows, search, x.Lexical, joined)
	process.serve(search, x.work(x.Question), func() { x.ask(vectors, search, x.Vector, joined) })
}

// write is a put of one entry, which then waits for its vectors.
func (x *cluster) write() {
	x.ask(x.one(x.postgres), search, x.Write, func() {
		x.queue = append(x.queue, x.now)
		x.wake()
	})
}

// wake makes an idle process check the queue.
func (x *cluster) wake() {
	if n := len(x.idle); n > 0 {
		process := x.idle[n-1]
		x.idle = x.idle[:n-1]
		x.lease(process)
	}
}

// lease takes a batch from the queue, embeds and saves it. A process that is killed
// in the meantime returns nothing: the batch is leased again when its lease ends.
func (x *cluster) lease(process int) {
	n := min(x.Batch, len(x.queue))
	if n == 0 {
		x.idle = append(x.idle, process)
		return
	}
	batch := append([]float64(nil), x.queue[:n]...)
	x.queue = x.queue[n:]
	x.leased += n
	again := func() { x.lease(process) }
	if x.random.Float64() < x.killedDuring(float64(n)*x.Passage) {
		x.killed++
		x.after(x.LeaseFor, func() {
			x.leased -= n
			x.queue = append(batch, x.queue...)
			x.wake()
		})
		x.after(restart, again)
		return
	}
	x.embed(process, n, func() {
		x.ask(x.one(x.postgres), background, float64(n)*x.Save, func() {
			x.ask(x.one(x.milvus), background, float64(n)*x.Upsert, func() {
				x.after(x.Tick, func() {
					x.leased -= n
					for _, written := range batch {
						x.count(&x.lags, written)
					}
					again()
				})
			})
		})
	})
}

// embed embeds n entries on the free cores, a few entries at a time.
func (x *cluster) embed(process, n int, done func()) {
	const few = 8 // some 256 tokens
	left := (n + few - 1) / few
	for ; n > 0; n -= few {
		x.mneme[process].serve(background, x.work(float64(min(few, n))*x.Passage), func() {
			if left--; left == 0 {
				done()
			}
		})
	}
}

// leases is how many batches a process works on at once.
const leases = 2

// restart is how long a killed process is down, in seconds.
const restart = 1

// killedDuring returns the probability that a process is killed within the given
// seconds.
func (x *cluster) killedDuring(seconds float64) float64 {
	return 1 - math.Exp(-seconds*x.KillsAnHour/3600)
}

// count records the time elapsed since a time, unless that was before the cluster
// was warm.
func (x *cluster) count(samples *[]float64, from float64) {
	if from >= x.warm {
		*samples = append(*samples, x.now-from)
	}
}
