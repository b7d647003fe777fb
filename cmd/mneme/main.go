// Command mneme is the memory search service for agents: the server, and the
// tools around it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for systems without the files
)

func main() {
	if status, ok := runAsService(); ok {
		os.Exit(status)
	}
	// The first signal shuts down gracefully. A second one kills the process.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
