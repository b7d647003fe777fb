package harness

import "testing"

func TestAPageThatIsMappedTwiceCountsOnce(t *testing.T) {
	const maps = "55d2-7ffd ---p 00000000 00:00 0    [rollup]\nRss:   3000 kB\nPss:               2048 kB\nPss_Anon:  1 kB\n"
	if got := proportional(maps); got != 2<<20 {
		t.Errorf("%d bytes", got)
	}
	if got := proportional("Rss: 1 kB\n"); got != 0 {
		t.Errorf("%d bytes of nothing", got)
	}
}
