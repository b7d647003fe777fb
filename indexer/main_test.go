package indexer_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Tests mostly wait for servers. -parallel overrides this.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(m.Run())
}
