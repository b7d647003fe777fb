//go:build unix

package faults

import (
	"cmp"
	"flag"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"mneme/test/size"
)

// The seed of a small run covers all kinds of choices: see kindsOfKills.
var (
	kills     = flag.Int("kills", 0, fmt.Sprintf("number of kills of processes of each stack in the campaign (default: %d, in a full run 24)", smallKills))
	seed      = flag.Uint64("seed", 0, fmt.Sprintf("the seed of the campaign (default: %d, in a full run random)", smallSeed))
	databases = flag.Int("databases", 4, "number of databases that the campaign uses in parallel")
)

const (
	smallKills = 9
	smallSeed  = 142
)

// kindsOfKills are the counts that must be positive after a small campaign.
var kindsOfKills = []string{
	"databases: with the built-in model", "kills: during the start", "kills: leases waited out", "kills: of one of two processes",
	"kills: of two processes at once", "kills: with the last answers lost", acknowledged,
}

// sizeCampaigns sets the flags that are not given. Tests must call it: see package size.
var sizeCampaigns = sync.OnceFunc(func() {
	*kills = cmp.Or(*kills, size.Of(smallKills, 24))
	*purchases = cmp.Or(*purchases, size.Of(12, 80))
	if *seed == 0 && size.Full() {
		*seed = uint64(time.Now().UnixNano())
	}
	*seed = cmp.Or(*seed, smallSeed)
})

// killsPerDatabase is the maximum number of kills before a campaign continues with a
// new database. Processes of a new database are also killed while they create its schema.
const killsPerDatabase = 20

// TestCampaign kills mneme at random instants under mixed load. After each kill,
// the visible state of the service and its tables must follow from the acknowledged
// calls; see the package's documentation.
func TestCampaign(t *testing.T) {
	sizeCampaigns()
	if !size.Full() { // a full run has the machine to itself
		t.Parallel()
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

// runTrial kills processes of one database at least n times.
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

// usesTime matches a query that takes the time as its argument.
var usesTime = regexp.MustCompile(`[?$]1`)
