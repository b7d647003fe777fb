package indexer_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Many tests may run in parallel, since they mostly wait for servers. The flag -parallel
	// overrides this.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(m.Run())
}
