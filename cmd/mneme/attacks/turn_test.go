package attacks

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mneme/backend/backendtest/wait"
)

// One agent keeps a hundred searches in the air. Another's single search must not
// stand behind them: while it runs, few of the others are answered.
func TestAHundredSearchesDoNotStandBeforeOne(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_SEARCH_RUNNING=1", "MNEME_SEARCH_RUNNING_PER_AGENT=1"))
	hog, ada := s.as("hog"), s.as("ada")
	for i := range 20 {
		hog.put(fmt.Sprint("k", i), strings.Repeat(fmt.Sprintf("tea of the kind %d ", i), 200)).want(t, http.StatusCreated)
	}
	ada.put("k", "I like my tea green.").want(t, http.StatusCreated)

	var answered, refused, other atomic.Int64
	var group sync.WaitGroup
	stop := make(chan struct{})
	for i := range 100 {
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				switch r := hog.search(fmt.Sprintf("what kind of tea is %d of %d?", n, i)); {
				case r.status == http.StatusOK:
					answered.Add(1)
				case r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") != "":
					refused.Add(1)
				default:
					other.Add(1)
				}
			}
		})
	}
	wait.Until(t, "the hog is served", func() error {
		if answered.Load() == 0 {
			return fmt.Errorf("nothing is answered")
		}
		return nil
	})
	// One was running, one may have had its turn, and their answers and those of
	// refusals cross on the wire.
	const most = 10
	// On a busy machine a request may also wait before the server reads it, which
	// says nothing of the turns: behind the hog's 64 that wait, no search of many
	// would be quick.
	fewest := int64(math.MaxInt64)
	for i := 0; i < 100 && fewest > most; i++ {
		before := answered.Load()
		ada.search(fmt.Sprintf("which tea do I like, %d?", i)).want(t, http.StatusOK)
		fewest = min(fewest, answered.Load()-before)
	}
	close(stop)
	group.Wait()
	if fewest > most {
		t.Errorf("at least %d searches of another agent were answered before one search", fewest)
	}
	if refused.Load() == 0 || other.Load() != 0 {
		t.Errorf("of a hundred searches at a time %d were answered, %d refused, and %d neither", answered.Load(), refused.Load(), other.Load())
	}
	t.Logf("%d searches were answered before the quickest", fewest)
}
