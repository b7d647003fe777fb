package faults

import (
	"flag"
	"fmt"
	"regexp"
	"testing"
	"time"
)

// Without flags a campaign is small, and its seed one of which the choices are of every
// kind: see kindsOfKills.
var (
	full      = flag.Bool("full", false, "run the campaigns in full: -kills 24, -purchases 80, -seed 0")
	kills     = flag.Int("kills", smallKills, "how often the campaign kills processes of each stack")
	seed      = flag.Uint64("seed", smallSeed, "the campaign's seed; 0: a new one")
	databases = flag.Int("databases", 4, "how many databases the campaign works on at a time")
)

const (
	smallKills = 9
	smallSeed  = 142
)

// kindsOfKills are the counts of what a small campaign does at least once.
var kindsOfKills = []string{
	"databases: with the built-in model", "kills: during the start", "kills: leases waited out", "kills: of one of two processes",
	"kills: of two processes at once", "kills: with the last answers lost", "writes: acknowledged",
}

// sizeCampaigns gives the flags that were not given the values of a full campaign.
func sizeCampaigns() error {
	given := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"kills": "24", "purchases": "80", "seed": "0"} {
		if given[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// killsPerDatabase is after how many kills a campaign goes on with a new
// database, at most. New ones are also killed while their schema is made.
const killsPerDatabase = 20

// TestCampaign kills mneme at random instants under mixed load. After each kill,
// what the service shows and what its tables hold must follow from what it
// acknowledged; see the package's documentation.
func TestCampaign(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	slots := make(chan struct{}, *databases)
	for _, on := range []stack{sqliteFlat, postgresFlat, postgresMilvus} {
		t.Run(on.String(), func(t *testing.T) {
			on.need(t)
			s := &stats{counts: make(map[string]int)}
			left := *kills
			t.Parallel()
			t.Run("databases", func(t *testing.T) {
				for number := 0; left > 0; number++ {
					share := min(left, max(1, *kills/3), killsPerDatabase)
					left -= share
					t.Run(fmt.Sprint(number), func(t *testing.T) {
						t.Parallel()
						slots <- struct{}{}
						defer func() { <-slots }()
						runTrial(t, on, uint64(number), share, s) //nolint:gosec // not negative
					})
				}
			})
			if *seed == smallSeed && *kills == smallKills {
				for _, kind := range kindsOfKills {
					if s.get(kind) == 0 {
						t.Errorf("none of the %s: choose another smallSeed", kind)
					}
				}
			}
			t.Logf("seed %d: repeat with -run 'TestCampaign/%s' -kills %d -seed %d\n%s", *seed, on, *kills, *seed, s)
		})
	}
}

// runTrial kills processes of one database at least so many times.
func runTrial(t *testing.T, on stack, number uint64, atLeast int, all *stats) {
	own := &stats{counts: make(map[string]int)}
	defer all.join(own)
	r := newTrial(t, on, *seed, number, own)
	for range 1 + r.rng.IntN(2) {
		r.killDuringStart(0)
	}
	for i := range r.servers {
		if !r.start(i) {
			return
		}
	}
	r.prepare()
	for own.get("kills") < atLeast && !t.Failed() {
		r.round()
	}
	own.add("databases", 1)
	if r.realModel {
		own.add("databases: with the built-in model", 1)
	}
}

// usesTime matches a query with the time as its argument.
var usesTime = regexp.MustCompile(`[?$]1`)
