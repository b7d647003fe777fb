//go:build unix

package faults

import (
	"context"
	"errors"
	"flag"
	"os"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"mneme/internal/system"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/mnemetest"
	"mneme/vector/milvus/milvustest"
)

// All tests share these. A test that stops a server must start it again, and must
// not run in parallel with others (no t.Parallel).
var (
	workDir        string // of the binary and Milvus
	postgresDir    string // of the servers of PostgreSQL
	binary         string // path of the mneme executable
	postgresServer *postgrestest.Server
	milvusServer   *milvustest.Server
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		mnemetest.ClearEnvironment()
		var err error
		if workDir, err = os.MkdirTemp("", "mneme-faults-*"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(workDir)
		if postgresDir, err = os.MkdirTemp(inMemory(), "mneme-faults-*"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(postgresDir)
		defer func() {
			if postgresServer != nil {
				_ = postgresServer.Stop()
			}
			if milvusServer != nil {
				_ = milvusServer.Stop()
			}
		}()
		// Tests mostly wait for servers and for deadlines. -parallel overrides this.
		if err := flag.Set("test.parallel", "10"); err != nil {
			panic(err)
		}
		flag.Parse()
		return m.Run()
	}())
}

// inMemory returns a folder in memory if the system has one with enough space, otherwise "".
// A server creates a thousand files, and each database 300 more. After many deletions, as in
// a run of all tests, ext4 takes longer to create them than PostgreSQL takes to fill them.
func inMemory() string {
	const folder, room = "/dev/shm", 4 << 30
	if free, err := system.FreeBytes(folder); err != nil || free < room {
		return ""
	}
	return folder
}

// build builds mneme once.
var build = sync.OnceValue(func() (err error) {
	binary, err = mnemetest.Build(workDir)
	return err
})

// startPostgres and startMilvus start their server, once.
var (
	startPostgres = sync.OnceValue(func() (err error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := os.Chmod(postgresDir, 0o755); err != nil { //nolint:gosec // the database runs as another user
			return err
		}
		if postgresServer, err = postgrestest.NewServer(postgresDir); err != nil {
			return err
		}
		return postgresServer.Start(ctx)
	})
	startMilvus = sync.OnceValue(func() (err error) {
		// Other tests may use one of its eleven ports after startMilvus has chosen it. Milvus
		// then never answers, and the next attempt chooses other ports.
		for range 3 {
			if milvusServer, err = tryMilvus(); err == nil {
				return nil
			}
		}
		return err
	})
)

// tryMilvus makes one attempt to start Milvus.
func tryMilvus() (server *milvustest.Server, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dir, err := os.MkdirTemp(workDir, "milvus-*")
	if err != nil {
		return nil, err
	}
	if server, err = milvustest.NewServer(dir); err != nil {
		return nil, err
	}
	err = server.Start()
	if err == nil {
		err = server.Ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// needServers skips a test that cannot run here, or fails it if CI is set.
func needServers(t *testing.T) {
	t.Helper()
	need(t, build, startPostgres, startMilvus)
}

// need starts the servers that a test needs, in parallel. It skips the test under
// -short, and if a server is not installed; with CI set, that fails the test.
func need(t *testing.T, starts ...func() error) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short skips tests that start servers")
	}
	var group errgroup.Group
	for _, start := range starts {
		group.Go(start)
	}
	err := group.Wait()
	missing := errors.Is(err, postgrestest.ErrNoServer) || errors.Is(err, milvustest.ErrNoServer)
	if missing && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}
