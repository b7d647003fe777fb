// Package faults contains only tests. They check what happens to reads, writes and
// vectors when a part of the system fails, hangs, loses its data or is killed. The
// tests run `mneme serve` processes, most of them over a PostgreSQL and a Milvus server
// that they start, and call the processes over REST. If a server's program is not
// installed, the tests are skipped, or fail if the environment variable CI is set.
// -short skips them too.
//
// # The campaign
//
// TestCampaign kills mneme with SIGKILL at random instants: while it creates its
// schema, starts, writes, embeds, sweeps and purges. Clients of several agents and
// labels put, edit, delete, restore, rename, import, share, unshare and purge all the
// time, through one or two processes. After each kill, package oracle decides whether
// the visible state follows from the acknowledged calls, and queries over the tables
// search for rows that contradict each other. The campaign is small in a plain run;
// .ci/run makes a full run (package size). To run it for hours:
//
//	TESTS=full go test ./test/faults -run TestCampaign -kills 1000 -timeout 6h -v
//
// -kills is the number of kills for each stack, -databases is the number of databases
// in parallel, and -seed repeats the random choices. Clients and processes run
// concurrently, so the same seed gives a similar history, not the same one: to
// reproduce a failure, use the printed seed in several runs.
//
// TestAKilledPurchaseIsChargedOnceAndAnswered kills mneme during paid searches: at
// random instants and, with a fake facilitator, while a payment is verified, before it
// is settled, and before mneme learns of the settlement. -purchases is their number:
//
//	go test ./test/faults -run TestAKilledPurchase -purchases 4000 -timeout 2h -v
//
// Not everything is real. Seven of eight databases use a fake remote embedder,
// for speed; the others use the built-in model. After four of five kills, the
// test ends the leases of the killed process by hand instead of waiting ten
// seconds until they expire.
package faults
