// Package faults contains only tests: what happens to reads, writes and vectors
// when a part of the system fails, hangs, loses its data or is killed. The tests
// run `mneme serve` processes, most of them over a PostgreSQL and a Milvus server
// that they start, and call those over REST. If a server's program is not
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
// look for rows that contradict each other. It is small in a plain run; .ci/run makes a
// full one (package size). To run it for hours:
//
//	TESTS=full go test ./test/faults -run TestCampaign -kills 1000 -timeout 6h -v
//
// -kills is the number for each stack, -databases the number of databases in
// parallel, -seed repeats the choices. Clients and processes run concurrently, so
// the same seed gives a similar history, not the same one: to reproduce a failure,
// use the printed seed and several runs.
//
// TestAKilledPurchaseIsChargedOnceAndAnswered kills mneme during paid searches: at
// random instants and, with a fake facilitator, while a payment is verified, before it
// is settled, and before mneme learns of the settlement. -purchases is their number:
//
//	go test ./test/faults -run TestAKilledPurchase -purchases 4000 -timeout 2h -v
//
// Not everything is real. Seven databases of eight use a fake remote embedder,
// for speed; the others use the built-in model. After four kills of five, the
// test ends the leases of the killed process by hand, which otherwise takes
// ten seconds.
package faults
