package e5

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mneme/test/size"
)

// step is the time between two pauses of a run.
const step = time.Millisecond

// run holds a slot of g for a time, with pauses, like a run of the model.
func (g *gate) run(t *testing.T, l *lane, length time.Duration) {
	r, err := g.enter(t.Context(), l, int(length/step))
	if err != nil {
		t.Error(err)
		return
	}
	for ; length > 0; length -= step {
		time.Sleep(step)
		if err := g.pause(t.Context(), r); err != nil {
			t.Error(err)
			return
		}
	}
	g.leave(r)
}

// load runs endless queries and passages through a gate, for a duration in a synctest bubble.
// It returns for how long queries and passages held slots.
func load(t *testing.T, g *gate, duration time.Duration, streams int, query time.Duration, workers int, passage time.Duration) (queries, passages time.Duration) {
	end := time.Now().Add(duration)
	used := make([]time.Duration, streams+workers)
	for i := range used {
		go func() {
			for time.Now().Before(end) {
				if i < streams {
					g.run(t, &g.queries, query)
					used[i] += query
				} else {
					g.run(t, &g.passages, passage)
					used[i] += passage
				}
			}
		}()
	}
	time.Sleep(duration + time.Minute)
	synctest.Wait()
	for i, time := range used {
		if i < streams {
			queries += time
		} else {
			passages += time
		}
	}
	return queries, passages
}

func TestPassagesKeepAQuarterUnderEndlessQueries(t *testing.T) {
	for _, slots := range []int{1, 2, 4, 16} {
		for _, streams := range []int{1, 4, 40} {
			for _, query := range []time.Duration{2 * time.Millisecond, 20 * time.Millisecond, 340 * time.Millisecond} {
				t.Run(fmt.Sprintf("%d slots, %d streams of %s", slots, streams, query), func(t *testing.T) {
					duration := 20 * time.Second
					if query <= 20*time.Millisecond { // as many shares in less time
						duration = time.Duration(size.Of(4, 20)) * time.Second
					}
					synctest.Test(t, func(t *testing.T) {
						queries, passages := load(t, &gate{slots: slots}, duration, streams, query, slots, 45*time.Millisecond)
						all := time.Duration(slots) * duration
						slack := all/100 + time.Duration(slots)*query // runs in flight at the end
						if passages < all/4-slack {
							t.Errorf("passages got %.1f%% of the time", 100*float64(passages)/float64(all))
						}
						// If no query is in flight, the next query waits until a batch pauses.
						want := min(time.Duration(streams)*duration, all*3/4) * query / (query + step)
						if queries < want-slack {
							t.Errorf("queries got %s, want %s", queries, want)
						}
					})
				})
			}
		}
	}
}

func TestQueriesAloneHaveAllProcessors(t *testing.T) {
	const duration, query = 3 * time.Second, 30 * time.Millisecond
	for _, slots := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			queries, _ := load(t, &gate{slots: slots}, duration, 8, query, 0, 0)
			if all := time.Duration(slots) * duration; queries < all {
				t.Errorf("%d slots: queries got %s of %s", slots, queries, all)
			}
		})
	}
}

func TestPassagesAloneHaveAllProcessors(t *testing.T) {
	const duration = 3 * time.Second
	synctest.Test(t, func(t *testing.T) {
		_, passages := load(t, &gate{slots: 2}, duration, 0, 0, 2, 45*time.Millisecond)
		if passages < 2*duration {
			t.Errorf("passages got %s of %s", passages, 2*duration)
		}
	})
}

// If queries are rare, passages get far more than their share of the time. So a query waits
// only until a batch pauses.
func TestOccasionalQueriesDoNotWaitForPassages(t *testing.T) {
	for _, slots := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			g := &gate{slots: slots}
			end := time.Now().Add(10 * time.Second)
			for range slots {
				go func() {
					for time.Now().Before(end) {
						g.run(t, &g.passages, 45*time.Millisecond)
					}
				}()
			}
			for time.Now().Before(end) {
				time.Sleep(100*time.Millisecond + step/2)
				const length = 20 * time.Millisecond
				began := time.Now()
				g.run(t, &g.queries, length)
				if took := time.Since(began); took > length+step {
					t.Fatalf("%d slots: a query of %s took %s", slots, length, took)
				}
			}
			time.Sleep(time.Second)
		})
	}
}

// An endless stream of eight long queries delays a short one by a few pauses only.
func TestAShortQueryOvertakesLongOnes(t *testing.T) {
	for _, slots := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			g := &gate{slots: slots}
			end := time.Now().Add(20 * time.Second)
			for range 8 {
				go func() {
					for time.Now().Before(end) {
						g.run(t, &g.queries, 300*time.Millisecond)
					}
				}()
			}
			for time.Now().Before(end) {
				time.Sleep(37*time.Millisecond + step/2)
				const length = 8 * time.Millisecond
				began := time.Now()
				g.run(t, &g.queries, length)
				if took := time.Since(began); took > length+step {
					t.Fatalf("%d slots: a query of %s took %s", slots, length, took)
				}
			}
			time.Sleep(time.Minute)
		})
	}
}

// A long query gets its turn during an endless stream of short ones.
func TestALongQueryIsNotOvertakenForever(t *testing.T) {
	const long, short = 300 * time.Millisecond, 8 * time.Millisecond
	for _, slots := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			g := &gate{slots: slots}
			var stop atomic.Bool
			for range 4 * slots {
				go func() {
					for !stop.Load() {
						g.run(t, &g.queries, short)
					}
				}()
			}
			time.Sleep(time.Second)
			began := time.Now()
			g.run(t, &g.queries, long)
			if took, limit := time.Since(began), (patience+2)*long; took > limit {
				t.Errorf("%d slots: it took %s, want at most %s", slots, took, limit)
			}
			stop.Store(true)
			time.Sleep(time.Minute)
		})
	}
}

// holdFor keeps g held for a duration in a synctest bubble, by consecutive writes that take
// each, such as a few milliseconds or the whole duration.
func (g *gate) holdFor(duration, each time.Duration) {
	for end := time.Now().Add(duration); time.Now().Before(end); {
		g.hold()
		time.Sleep(each)
		g.release()
	}
}

func TestPassagesKeepAQuarterDuringContinuousWrites(t *testing.T) {
	const duration = 10 * time.Second
	for _, slots := range []int{1, 2, 4} {
		for _, each := range []time.Duration{3 * time.Millisecond, duration} {
			t.Run(fmt.Sprintf("%d slots, writes of %s", slots, each), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := &gate{slots: slots}
					for range 2 { // writes of two callers overlap
						go g.holdFor(duration, each)
					}
					_, passages := load(t, g, duration, 0, 0, slots, 45*time.Millisecond)
					all := time.Duration(slots) * (duration - maxDeferral)
					slack := all/50 + time.Duration(slots)*45*time.Millisecond
					if passages < all/4-slack || passages > all/4+slack {
						t.Errorf("passages got %.1f%% of the time", 100*float64(passages)/float64(all))
					}
				})
			})
		}
	}
}

func TestPassagesLeaveTheProcessorsToABurstOfWrites(t *testing.T) {
	for _, awaited := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const burst = 1500 * time.Millisecond
			g := &gate{slots: 2}
			go g.holdFor(burst, burst)
			synctest.Wait()
			began := time.Now()
			if awaited { // a caller arrives that waits for the passages
				time.AfterFunc(time.Millisecond, g.awaitPassages)
			}
			g.run(t, &g.passages, 20*time.Millisecond)
			took := time.Since(began)
			if awaited && took > 100*time.Millisecond || !awaited && (took < burst || took > burst+25*time.Millisecond) {
				t.Errorf("awaited %t: passages took %s beside writes of %s", awaited, took, burst)
			}
			if awaited {
				g.arrived()
			}
			time.Sleep(2 * burst) // resets the deferral
			for range 2 {
				go g.holdFor(burst, 3*time.Millisecond)
			}
			synctest.Wait()
			began = time.Now()
			g.run(t, &g.passages, 20*time.Millisecond)
			if took := time.Since(began); took < burst {
				t.Errorf("awaited %t: passages of the next burst took %s", awaited, took)
			}
		})
	}
}

// A stream of writes with gaps defers passages entirely for maxDeferral. After that, each gap
// allows only a deferral as long as the gap.
func TestAStreamOfWritesDoesNotDeferPassagesForEver(t *testing.T) {
	const duration, write, gap = 20 * time.Second, 9 * time.Millisecond, time.Millisecond
	for _, slots := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			g := &gate{slots: slots}
			go func() {
				for end := time.Now().Add(duration); time.Now().Before(end); time.Sleep(gap) {
					g.holdFor(write, write)
				}
			}()
			_, passages := load(t, g, duration, 0, 0, slots, 45*time.Millisecond)
			gaps := duration * gap / (write + gap)
			want := time.Duration(slots) * (duration - gaps - gaps - maxDeferral) / 4
			if passages < want-want/20 {
				t.Errorf("%d slots: passages got %s, want %s", slots, passages, want)
			}
		})
	}
}

// When a short write begins, passages that are running yield only at their next pause. This
// must leave them no debt.
func TestShortWritesLeavePassagesNoDebt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const duration = time.Minute
		g := &gate{slots: 2}
		go func() {
			for end := time.Now().Add(duration); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
				g.holdFor(time.Millisecond, time.Millisecond)
			}
		}()
		load(t, g, duration, 0, 0, 2, 20*time.Millisecond)
		time.Sleep(maxDeferral)
		go g.holdFor(2*maxDeferral, 2*maxDeferral)
		synctest.Wait()
		began := time.Now()
		g.run(t, &g.passages, 20*time.Millisecond)
		if took := time.Since(began); took > maxDeferral+500*time.Millisecond {
			t.Errorf("passages took %s beside a write", took)
		}
		time.Sleep(2 * maxDeferral) // until the write ends
	})
}

func TestPassagesGoOnAfterAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{slots: 2}
		g.hold()
		began := time.Now()
		done := make(chan time.Duration, 2)
		for range 2 {
			go func() {
				g.run(t, &g.passages, 100*time.Millisecond)
				done <- time.Since(began)
			}()
		}
		time.Sleep(8 * time.Millisecond) // they had no credit until now, and so did not run
		g.release()
		for range 2 {
			if took := <-done; took > 110*time.Millisecond {
				t.Errorf("passages took %s, of which a write held them for 8 ms", took)
			}
		}
	})
}
