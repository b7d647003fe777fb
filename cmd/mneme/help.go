package main

import (
	"github.com/spf13/cobra"
)

// newHelp returns the help command. Cobra's own prints the root help for a mistyped
// command.
func newHelp(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]…",
		Short: "Show the help of a command",
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			about, err := commandAt(cmd.Root(), args)
			if err != nil {
				return usageError{err}
			}
			about.InitDefaultHelpFlag() // lists the help flag
			return about.Help()
		}),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			about, err := commandAt(cmd.Root(), args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range about.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// commandAt returns the command with a path of names.
func commandAt(root *cobra.Command, names []string) (*cobra.Command, error) {
	at := root
	for _, name := range names {
		next := subcommand(at, name)
		if next == nil {
			return nil, unknownCommand(at, name)
		}
		at = next
	}
	return at, nil
}

// subcommand returns cmd's subcommand with a name; nil if there is none.
func subcommand(cmd *cobra.Command, name string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if sub.Name() == name || sub.HasAlias(name) {
			return sub
		}
	}
	return nil
}
