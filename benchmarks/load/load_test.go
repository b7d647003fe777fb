package load

import (
	"strings"
	"testing"
	"time"

	"mneme/benchmarks/harness"
)

func callerWith(samples ...time.Duration) *caller { return &caller{samples: samples} }

func TestALoadComparesTheSlowestCallerWithTheOthers(t *testing.T) {
	const ms = time.Millisecond
	slow := callerWith(40*ms, 40*ms)
	slow.degraded, slow.refused = 1, 2
	l := newLoad([]*caller{callerWith(10 * ms), slow, callerWith(10*ms, 30*ms), callerWith()}, 2*time.Second,
		harness.Usage{CPU: time.Second}, harness.Usage{CPU: 2 * time.Second, Resident: 5})
	want := Load{
		Searches: 5, PerS: 2.5, P50: 30, P95: 40, P99: 40, SlowestToMedian: 2, SlowestToFastest: 4,
		CPU: 200, Resident: 5, Degraded: 1, Refused: 2,
	}
	if l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}
}

func TestALoadWithoutAnswersHasNoLatency(t *testing.T) {
	refused := &caller{refused: 3}
	if l := newLoad([]*caller{refused}, time.Second, harness.Usage{}, harness.Usage{}); l != (Load{Refused: 3}) {
		t.Errorf("got %+v", l)
	}
}

func TestTableHasTwoLinesForEachNumberOfCallers(t *testing.T) {
	var out strings.Builder
	report := Report{Dataset: "d", Cases: []Case{
		{Callers: 1, First: Load{Searches: 9, PerS: 80.25, P50: 12.4}, Again: Load{Searches: 8}},
		{Callers: 16, First: Load{Searches: 7, Refused: 2}, Again: Load{Searches: 6, Degraded: 3}},
	}}
	if err := report.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n1       first          9    80.2    12.40        -", "\n1       again          8       -",
		"\n16      first          7", "\n16      again          6", "\n3 answers lack a leg, 2 searches were refused.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
