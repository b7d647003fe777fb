package search_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Tests mostly wait for servers. -parallel overrides this.
	set("test.parallel", "8")
	// Each check of a property fills two databases, so run few of them.
	set("rapid.checks", "10")
	flag.Parse()
	if testing.Short() { // rapid itself then runs a fifth of them
		set("rapid.checks", "25")
		flag.Parse() // -rapid.checks overrides both
	}
	os.Exit(m.Run())
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}
