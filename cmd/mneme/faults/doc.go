// Package faults holds tests alone: what becomes of reads, writes and vectors
// when a part of the whole goes away, hangs, loses its data or is killed. They
// run `mneme serve` processes over a PostgreSQL and a Milvus of their own,
// started once for all tests here, and talk to them over REST. Where the
// programs are missing the tests are skipped, but fail where the environment
// variable CI is set; with -short they are skipped too, since they start
// servers for a minute or two.
package faults
