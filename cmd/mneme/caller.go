package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/memory"
)

// callerFlags name whom a command acts as, under the same rules as a token's
// holder.
type callerFlags struct {
	agent, taint string
}

func (f *callerFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "act as this agent")
	cmd.Flags().StringVar(&f.taint, "taint", "PUBLIC", "label of the session: PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED")
}

// caller is the agent as a caller of the Service.
func (f *callerFlags) caller(agent string) (memory.Caller, error) {
	taint, err := acl.ParseLabel(f.taint)
	if err != nil {
		return memory.Caller{}, usageError{fmt.Errorf("--taint: %w", err)}
	}
	p := acl.Principal{Agent: agent, Taint: taint}
	if err := p.Validate(); err != nil {
		return memory.Caller{}, usageError{fmt.Errorf("the agent that the command acts as: %w", err)}
	}
	return memory.Caller{Principal: p, Internal: true}, nil
}
