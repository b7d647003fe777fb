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

// Shared by all tests. A test that stops a server must start it again, and must
// not run in parallel with others (no t.Parallel).
var (
	binary         string // path of the mneme executable
	postgresServer *postgrestest.Server
	milvusServer   *milvustest.Server
	errUnavailable error // why the tests cannot run, or nil
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
			if postgresServer != nil {
				_ = postgresServer.Stop()
			}
			if milvusServer != nil {
				_ = milvusServer.Stop()
			}
		}()
		if err := start(dir); err != nil {
			if !errors.Is(err, postgrestest.ErrNoServer) && !errors.Is(err, milvustest.ErrNoServer) {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			errUnavailable = err
		}
		return m.Run()
	}())
}

// start builds mneme and starts both servers, in parallel.
func start(dir string) error {
	if errUnavailable = checkShort(); errUnavailable != nil {
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
		if postgresServer, err = postgrestest.NewServer(dir); err != nil {
			return err
		}
		return postgresServer.Start(ctx)
	})
	group.Go(func() (err error) {
		if milvusServer, err = milvustest.NewServer(dir); err != nil {
			return err
		}
		if err = milvusServer.Start(); err != nil {
			return err
		}
		return milvusServer.Ready(ctx)
	})
	return group.Wait()
}
