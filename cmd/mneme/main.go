// Command mneme is the memory search service for agents: the server, and the
// tools around it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // for systems without zone files
)

func main() {
	if status, ok := runAsService(); ok {
		os.Exit(status)
	}
	// The first signal shuts down gracefully. A signal at least a second later kills the
	// process; an earlier one may be the same: a terminal sends Ctrl-C to all processes of
	// a pipeline, and npx and timeout(1) forward it to a child that already got it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
