package faults

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/storage/postgres/postgrestest"
	"mneme/vector/milvus/milvustest"
)

// What all tests here share. A test that stops a server leaves it running
// again, and does not run beside others (no t.Parallel).
var (
	binary  string // mneme
	rows    *postgrestest.Server
	vectors *milvustest.Server
	missing error // what keeps the tests from running
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		for _, pair := range os.Environ() {
			if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "MNEME_") {
				os.Unsetenv(name)
			}
		}
		dir, err := os.MkdirTemp("", "mneme-faults-*")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		defer func() {
			if rows != nil {
				_ = rows.Stop()
			}
			if vectors != nil {
				_ = vectors.Stop()
			}
		}()
		if err := start(dir); err != nil {
			if !errors.Is(err, postgrestest.ErrNoServer) && !errors.Is(err, milvustest.ErrNoServer) {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			missing = err
		}
		return m.Run()
	}())
}

// start builds mneme and starts both servers, side by side.
func start(dir string) error {
	if missing = shortened(); missing != nil {
		return nil
	}
	// Tests wait for servers and instants most of the time.
	if err := flag.Set("test.parallel", "10"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := os.Chmod(dir, 0o755); err != nil { // the database runs as another user
		return err
	}
	var group errgroup.Group
	group.Go(func() error {
		binary = filepath.Join(dir, "mneme")
		if out, err := exec.Command("go", "build", "-o", binary, "mneme/cmd/mneme").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
		return nil
	})
	group.Go(func() (err error) {
		if rows, err = postgrestest.NewServer(dir); err != nil {
			return err
		}
		return rows.Start(ctx)
	})
	group.Go(func() (err error) {
		if vectors, err = milvustest.NewServer(dir); err != nil {
			return err
		}
		if err = vectors.Start(); err != nil {
			return err
		}
		return vectors.Ready(ctx)
	})
	return group.Wait()
}
