// Package faults only holds tests: what happens to reads, writes and vectors
// when a part of the system fails, hangs, loses its data or is killed. They run
// `mneme serve` processes over a PostgreSQL and a Milvus server that they start
// once for all tests, and call them over REST. Without those programs the tests
// are skipped, or fail if the environment variable CI is set. They start servers
// for a minute or two, so -short skips them too.
package faults
