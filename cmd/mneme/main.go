// Command mneme is the memory search service for agents: the server, and the
// tools around it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // for systems without the files
)

func main() {
	if status, ok := runAsService(); ok {
		os.Exit(status)
	}
	// The first signal shuts down gracefully. One that comes a second later or more kills
	// the process; before that it may be the same: a terminal sends Ctrl-C to all of a
	// pipeline, and npx and timeout(1) pass on to their child what it has already got.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
