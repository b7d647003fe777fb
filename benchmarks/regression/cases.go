package main

import "strings"

// A benchCase is one run of a package's tests, in which some benchmarks run.
type benchCase struct {
	pkg   string // folder of the package
	bench string // regular expression of -test.bench
	time  string // -test.benchtime: iterations, such as 30x, so that CPU times compare
	args  []string
}

func (c benchCase) String() string { return c.pkg + "/" + c.bench }

// cpuName is the name under which the CPU time of a whole run is reported.
func (c benchCase) cpuName() string {
	name, _, _ := strings.Cut(c.bench, "$")
	return cpuPrefix + name
}

// cpuPrefix begins the names of rows that are CPU time.
const cpuPrefix = "CPU/"

// cases are the compared benchmarks: those whose results vary little between runs,
// and that in total cover what a caller waits for. They need no server.
// A round takes less than a minute for both commits on two quiet cores.
var cases = []benchCase{
	// The encoder: questions of 12 to 512 tokens, and a batch of passages.
	{pkg: "embed/e5", bench: "Query$", time: "30x"},
	{pkg: "embed/e5", bench: "Passages$", time: "2x"},
	{pkg: "embed/maxsim", bench: "Best$/tokens=50$", time: "50x"},

	// Both legs: a large store, and a small one among a thousand.
	{pkg: "vector/flat", bench: "Search$/.*/all|one/amd64|arm64", time: "20x"},
	{pkg: "lexical", bench: "Analyze$|ParseQuery$|Find$", time: "3000x"},
	{pkg: "lexical/posting", bench: "Evaluation$", time: "100x"},

	// Conditions and exact words, in all stores and in one.
	{pkg: "storage/sqlite", bench: "Where$/stores", time: "5x", args: []string{"-entries", "4000"}},
	{pkg: "storage/sqlite", bench: "Score$", time: "20x"},

	// Imports: rows, terms and vectors of 2,000 entries, then reads of all kinds.
	{pkg: "storage/sqlite", bench: "Storage$", time: "1x"},

	// Whole calls of the service and of the server.
	{pkg: "search", bench: "Search$/sqlite", time: "100x"},
	{pkg: "memory", bench: "Put$/sqlite", time: "200x"},
	{pkg: "search", bench: "Passages$", time: "50x"},
	{pkg: "meter", bench: "Sale$/sqlite", time: "100x"},
	{pkg: "server", bench: "SmallGet$", time: "20000x"},
	{pkg: "server/rest", bench: "Answer$", time: "300x"},
}
