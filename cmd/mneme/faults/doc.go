// Package faults contains only tests: what happens to reads, writes and vectors
// when a part of the system fails, hangs, loses its data or is killed. The tests
// start one PostgreSQL and one Milvus server, run `mneme serve` processes over
// them, and call those over REST. If a server's program is not installed, the
// tests are skipped, or fail if the environment variable CI is set. They run for
// minutes, so -short skips them too.
package faults
