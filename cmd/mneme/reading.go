package main

import (
	"context"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/configs"
)

// reading is a command that reads entries as an agent, locally or on a server.
type reading struct {
	*program
	as     callerFlags
	filter filterFlags
	url    string
}

func (r *reading) add(cmd *cobra.Command) {
	r.as.add(cmd)
	r.filter.add(cmd)
	cmd.Flags().StringVar(&r.url, "url", "", "ask the server at this address")
	_ = cmd.MarkFlagRequired("agent") // the flag exists
}

// call calls fn with a client that acts as the agent.
func (r *reading) call(ctx context.Context, config configs.Config, open opener, fn func(as *client.Client) error) (err error) {
	to, err := r.connectToRead(ctx, config, r.as, r.url, open)
	if err != nil {
		return err
	}
	defer closeJoin(to, &err)
	as, err := to.client(r.as.agent)
	if err != nil {
		return err
	}
	return to.failure(fn(as))
}
