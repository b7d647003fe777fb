package attacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mneme/test/wait"
)

// One agent, the hog, keeps the encoder busy with megabytes to embed or with endless
// questions. The vector leg must still find other agents' entries.

const hogValues, hogBytes = 32, 88_000

// prose returns random words, with at least the given number of bytes in total.
func prose(random *rand.Rand, bytes int) string {
	words := strings.Fields("garden window evening letter bridge train neighbour summer kitchen winter river lantern market harbour story")
	var text strings.Builder
	for text.Len() < bytes {
		text.WriteString(words[random.IntN(len(words))])
		text.WriteString([]string{" ", " ", " ", ". "}[random.IntN(4)])
	}
	return text.String()
}

// queueMegabytes writes the hog's values.
func queueMegabytes(t testing.TB, hog caller) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range hogValues {
		hog.put(fmt.Sprint("volume-", i), prose(random, hogBytes)).want(t, http.StatusCreated)
	}
}

// askWithoutEnd makes concurrent searches with questions of 200 words until stop is
// called.
func askWithoutEnd(t testing.TB, hog caller, connections int) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	hog.ctx = ctx
	var group sync.WaitGroup
	for i := range connections {
		random := rand.New(rand.NewPCG(3, uint64(i)))
		group.Go(func() {
			for ctx.Err() == nil {
				hog.search(prose(random, 1300))
			}
		})
	}
	return func() {
		cancel()
		group.Wait()
	}
}

// byMeaning returns nil if the vector leg of a search finds a key.
func (c caller) byMeaning(t testing.TB, question, key string) error {
	type found struct {
		Hits []struct {
			Key     string
			Explain struct{ Vector *struct{ Rank int } }
		}
		Degraded []string
	}
	answer := decode[found](t, c.search(question, "explain", true).want(t, http.StatusOK))
	if len(answer.Degraded) > 0 {
		return fmt.Errorf("degraded: %v", answer.Degraded)
	}
	for _, hit := range answer.Hits {
		if hit.Key == key && hit.Explain.Vector != nil {
			return nil
		}
	}
	return errors.New("not found by the vector leg")
}

func (s *server) queueDepth(t testing.TB) int {
	t.Helper()
	type ready struct {
		Depth int `json:"queue_depth"`
	}
	return decode[ready](t, s.bearing("").call(http.MethodGet, "/readyz", nil)).Depth
}

func TestMegabytesOfOneAgentDoNotDelayAnothersLine(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		hog, other := s.as("hog"), s.as("other")
		queueMegabytes(t, hog)
		other.put("allergy", "Anna cannot eat peanuts").want(t, http.StatusCreated)
		wait.Until(t, "the line is found by its meaning", func() error { return other.byMeaning(t, "what food makes her ill?", "allergy") })
		if left := s.queueDepth(t); left < hogValues/2 {
			t.Errorf("the line was indexed when the hog had only %d entries left", left)
		}
	})
}

// Answers to an agent report that its own entries wait for their vectors. Answers to
// other agents do not.
func TestAnswersReportOnlyTheCallersOwnVectorLag(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, startHesitant(t, "volume"))
		hog, other := s.as("hog"), s.as("other")
		other.put("allergy", "Anna cannot eat peanuts").want(t, http.StatusCreated)
		wait.Until(t, "the line is found by its meaning", func() error { return other.byMeaning(t, "what food makes her ill?", "allergy") })
		hog.put("story", "the first volume of a story").want(t, http.StatusCreated)
		degraded := func(c caller, question string) []string {
			return decode[struct{ Degraded []string }](t, c.search(question).want(t, http.StatusOK)).Degraded
		}
		wait.Until(t, "the answers to the hog report that its entry waits", func() error {
			if got := degraded(hog, "a garden"); !slices.Contains(got, "vector_lag") {
				return fmt.Errorf("degraded: %v", got)
			}
			return nil
		})
		if got := degraded(other, "what food makes her ill?"); len(got) > 0 {
			t.Errorf("an answer to another agent is degraded: %v", got)
		}
	})
}

// startHesitant starts an embedder that never answers requests for texts with a word.
func startHesitant(t testing.TB, word string) option {
	t.Helper()
	e := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, "not an embeddings request", http.StatusBadRequest)
			return
		}
		type embedding struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var answer struct {
			Data []embedding `json:"data"`
		}
		for i, text := range request.Input {
			if strings.Contains(text, word) {
				<-r.Context().Done()
				return
			}
			answer.Data = append(answer.Data, embedding{i, []float32{1, 0}})
		}
		_ = json.NewEncoder(w).Encode(answer) // mneme may have ended
	}))
	t.Cleanup(e.Close)
	return environment("MNEME_EMBEDDER=openai", "MNEME_OPENAI_BASE_URL="+e.URL+"/v1", "MNEME_OPENAI_MODEL=m", "MNEME_OPENAI_DIM=2",
		"MNEME_OPENAI_TIMEOUT=10m", "MNEME_SEARCH_VECTOR_BUDGET=10m")
}

func TestEndlessQuestionsDoNotStopIndexing(t *testing.T) {
	t.Parallel()
	s := start(t)
	hog, other := s.as("hog"), s.as("other")
	defer askWithoutEnd(t, hog, 4)()
	other.put("allergy", "Anna cannot eat peanuts").want(t, http.StatusCreated)
	wait.Until(t, "the line is found by its meaning", func() error { return other.byMeaning(t, "what food makes her ill?", "allergy") })
}

// BenchmarkHog reports the duration of an agent's PUT with ?wait=indexed under each
// attack by another agent:
//
//	go test -run '^$' -bench Hog -benchtime 20x ./test/attacks
//
// With MNEME_ATTACK_BINARY it measures another version. -benchtime sets the number
// of entries, of which it writes two a second. Times are in seconds; late is the share
// of entries that were not indexed within the 10 s of the call.
func BenchmarkHog(b *testing.B) {
	attack := map[string]func(testing.TB, caller) (stop func()){
		"megabytes": func(t testing.TB, hog caller) func() { queueMegabytes(t, hog); return func() {} },
		"questions": func(t testing.TB, hog caller) func() { return askWithoutEnd(t, hog, 4) },
	}
	for _, name := range []string{"megabytes", "questions"} {
		b.Run(name, func(b *testing.B) {
			s := start(b)
			other := s.as("other")
			defer attack[name](b, s.as("hog"))()
			waits, late := make([]float64, b.N), 0
			b.ResetTimer()
			for i := range b.N {
				began := time.Now()
				body := map[string]any{"value": fmt.Sprintf("line %d of a diary about the garden", i)}
				answer := other.call(http.MethodPut, fmt.Sprint(memories, "line-", i, "?wait=indexed"), body).want(b, http.StatusCreated)
				waits[i] = time.Since(began).Seconds()
				if !decode[struct{ Indexed bool }](b, answer).Indexed {
					late++
				}
				time.Sleep(500 * time.Millisecond)
			}
			b.StopTimer()
			slices.Sort(waits)
			for _, p := range []int{50, 90, 99, 100} {
				b.ReportMetric(waits[(b.N*p+99)/100-1], fmt.Sprintf("p%d-s", p))
			}
			b.ReportMetric(float64(late)/float64(b.N), "late")
			b.ReportMetric(float64(s.queueDepth(b)), "queued")
		})
	}
}
