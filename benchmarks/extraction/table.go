package extraction

import (
	"fmt"
	"io"
	"text/tabwriter"

	"mneme/meter"
)

// WriteTable prints a line for each run: the entries revealed after 10, 100, 1,000
// and 10,000 searches, and their cost.
func (r Report) WriteTable(w io.Writer) error {
	for _, source := range r.Sources {
		fmt.Fprintf(w, "\n%s: %d entries for sale, %s a search and %s an entry; a run ends after %d searches or %d days\n",
			source.Source, source.Entries, credits(r.Prices.Search), credits(r.Prices.Entry), r.Searches, r.Days)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(table, "terms\tbuyer\t10\t100\t1000\t10000\tsearches\tdays\trevealed\tpaid\tan entry\tof honest\t\n")
		for _, run := range source.Runs {
			last := run.Last()
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f\t%.0f %%\t%s\t%.5f\t%.1f\t\n", run.Terms, run.Strategy,
				run.after(10), run.after(100), run.after(1000), run.after(10_000), last.Searches, last.Days,
				100*float64(last.Entries)/float64(max(1, source.Entries)), credits(last.Cost),
				last.PerEntry()/meter.MicrosPerCredit, source.timesHonest(run))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(w, "\n10 … 10000: distinct entries revealed after so many searches. paid: credits.\n"+
		"of honest: what an entry cost, as a multiple of what it cost the buyer with honest questions.\n")
	return err
}

// after returns the number of entries revealed after n searches, or "" if the
// run ended before.
func (r Run) after(searches int) string {
	for _, p := range r.Points {
		if p.Searches == searches {
			return fmt.Sprint(p.Entries)
		}
	}
	return ""
}

// timesHonest returns the price per entry of a run, as a multiple of the honest
// buyer's under the same terms; 0 if that is unknown.
func (r Result) timesHonest(run Run) float64 {
	for _, honest := range r.Runs {
		if honest.Terms == run.Terms && honest.Strategy == Honest && honest.Last().PerEntry() > 0 {
			return run.Last().PerEntry() / honest.Last().PerEntry()
		}
	}
	return 0
}

// credits prints micros as credits.
func credits(micros int64) string {
	return fmt.Sprintf("%.4f", float64(micros)/meter.MicrosPerCredit)
}
