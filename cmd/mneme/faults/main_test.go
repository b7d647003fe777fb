package faults

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/cmd/mneme/mnemetest"
	"mneme/storage/postgres/postgrestest"
	"mneme/vector/milvus/milvustest"
)

// What all tests share. A test that stops a server must start it again, and must
// not run in parallel with others (no t.Parallel).
var (
	binary  string // mneme
	rows    *postgrestest.Server
	vectors *milvustest.Server
	missing error // why the tests cannot run
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		mnemetest.ClearEnvironment()
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

// start builds mneme and starts both servers, in parallel.
func start(dir string) error {
	if missing = shortened(); missing != nil {
		return nil
	}
	// Tests mostly wait for servers and for deadlines.
	if err := flag.Set("test.parallel", "10"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := os.Chmod(dir, 0o755); err != nil { // the database runs as another user
		return err
	}
	var group errgroup.Group
	group.Go(func() (err error) {
		binary, err = mnemetest.Build(dir)
		return err
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
