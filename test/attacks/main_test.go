package attacks

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mneme/storage/postgres/postgrestest"
	"mneme/test/mnemetest"
)

// binaryVariable names another binary to attack.
const binaryVariable = "MNEME_ATTACK_BINARY"

var (
	buildDir     string // removed when the tests end
	otherBinary  string // value of binaryVariable
	attackBinary = sync.OnceValues(func() (string, error) {
		_ = os.Getenv(binaryVariable) // go test's cache tracks variables that tests read, not those that TestMain reads
		if otherBinary != "" {
			return filepath.Abs(otherBinary)
		}
		return mnemetest.Build(buildDir)
	})
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		// Attacks mostly wait for their servers. -parallel overrides this.
		if err := flag.Set("test.parallel", "6"); err != nil {
			panic(err)
		}
		otherBinary = os.Getenv(binaryVariable)
		mnemetest.ClearEnvironment(postgrestest.Variable)
		var err error
		if buildDir, err = os.MkdirTemp("", "mneme-attacks-*"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(buildDir)
		return m.Run()
	}())
}
