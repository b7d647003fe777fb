package main

import (
	"github.com/spf13/cobra"
)

// newHelp returns the command that prints the help of others. Cobra's own answers a
// mistyped one with the help of all.
func newHelp(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]…",
		Short: "Show the help of a command",
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			about, err := commandAt(cmd.Root(), args)
			if err != nil {
				return usageError{err}
			}
			about.InitDefaultHelpFlag() // listed among its flags
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

// commandAt returns the command that names lead to.
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

// subcommand returns the command of a name below cmd; nil for none.
func subcommand(cmd *cobra.Command, name string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if sub.Name() == name || sub.HasAlias(name) {
			return sub
		}
	}
	return nil
}
