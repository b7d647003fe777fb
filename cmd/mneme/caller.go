package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/memory"
)

// callerFlags name the acting agent and its session's label. It acts under the
// same rules as the holder of a token.
type callerFlags struct {
	agent, taint string
}

func (f *callerFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "act as this agent")
	cmd.Flags().StringVar(&f.taint, "taint", "PUBLIC", "label of the session: PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED")
}

// principal is the principal of an acting agent.
func (f *callerFlags) principal(agent string) (acl.Principal, error) {
	taint, err := acl.ParseLabel(f.taint)
	if err != nil {
		return acl.Principal{}, usageError{fmt.Errorf("--taint: %w", err)}
	}
	p := acl.Principal{Agent: agent, Taint: taint}
	if err := p.Validate(); err != nil {
		return acl.Principal{}, usageError{fmt.Errorf("acting agent: %w", err)}
	}
	return p, nil
}

// caller is an acting agent as a caller of the Service.
func (f *callerFlags) caller(agent string) (memory.Caller, error) {
	p, err := f.principal(agent)
	if err != nil {
		return memory.Caller{}, err
	}
	return memory.Caller{Principal: p, Internal: true}, nil
}
