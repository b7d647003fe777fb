package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/cmd/compose"
)

// marketFlags are the flags of the commands for offers, accounts and charges.
type marketFlags struct {
	*program
	as    callerFlags
	url   string
	reads bool // whether it only reads
}

// addAgent adds the flags of a command that acts as an agent.
func (m *marketFlags) addAgent(cmd *cobra.Command) {
	m.as.add(cmd)
	cmd.Flags().StringVar(&m.url, "url", "", "ask the server at this address")
	_ = cmd.MarkFlagRequired("agent") // the flag exists
}

// addOperator adds the flags of a command that acts as the platform: on the storage
// itself, or with a platform token.
func (m *marketFlags) addOperator(cmd *cobra.Command) {
	m.as = callerFlags{agent: operator, taint: acl.Public.String(), platform: true}
	cmd.Flags().StringVar(&m.url, "url", "", "ask the server at this address, with MNEME_TOKEN or a token of the local key")
}

// call makes a call of the API.
func (m *marketFlags) call(cmd *cobra.Command, fn func(ctx context.Context, as *client.Client) error) (err error) {
	config, err := m.configure(cmd)
	if err != nil {
		return err
	}
	if _, err := m.as.principal(m.as.agent); err != nil {
		return err
	}
	ctx := cmd.Context()
	connect := m.connect
	if m.reads {
		connect = m.connectToRead
	}
	to, err := connect(ctx, config, m.as, m.url, compose.OpenRows)
	if err != nil {
		return err
	}
	defer closeJoin(to, &err)
	as, err := to.client(m.as.agent)
	if err != nil {
		return err
	}
	return to.failure(fn(ctx, as))
}

// parseID parses the ID of an offer or a charge.
func parseID(what, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, usageError{fmt.Errorf("%s must be an ID such as 01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77", what)}
	}
	return id, nil
}

// newKey returns an Idempotency-Key for one run of a command: a call that is repeated
// because a connection broke takes effect once.
func newKey() (string, error) {
	id, err := uuid.NewRandom()
	return id.String(), err
}

// errAmount reports an amount of 0 for a transfer of money.
var errAmount = usageError{errors.New("the amount must be at least 0.000001 credits")}
