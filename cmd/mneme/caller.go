package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mneme/acl"
)

// callerFlags name the acting agent and its session's label. The command obeys the same
// access rules as the bearer of a token.
type callerFlags struct {
	agent, taint string
	platform     bool // the command is the operator's
}

func (f *callerFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "act as this agent")
	f.addTaint(cmd, "label of the session")
}

// addTaint adds the flag of the label, with the help text use.
func (f *callerFlags) addTaint(cmd *cobra.Command, use string) {
	cmd.Flags().StringVar(&f.taint, "taint", "PUBLIC", use+": PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED")
	completeWith(cmd, "taint", "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
}

// principal returns the principal of an acting agent.
func (f *callerFlags) principal(agent string) (acl.Principal, error) {
	taint, err := acl.ParseLabel(f.taint)
	if err != nil {
		return acl.Principal{}, usageError{fmt.Errorf("--taint: %w", err)}
	}
	p := acl.Principal{Agent: agent, Taint: taint, Platform: f.platform}
	if err := p.Validate(); err != nil {
		return acl.Principal{}, usageError{fmt.Errorf("acting agent: %w", err)}
	}
	return p, nil
}
