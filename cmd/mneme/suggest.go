package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mneme/internal/edit"
)

// otherNames maps commands to names that people try instead.
var otherNames = map[string][]string{
	"delete":  {"remove", "rm", "del", "forget"},
	"get":     {"read", "show", "cat"},
	"history": {"versions", "log"},
	"list":    {"ls", "entries"},
	"put":     {"add", "set", "save", "write", "remember"},
	"search":  {"find", "query", "ask", "recall"},
	"serve":   {"server", "start", "run"},
	"stores":  {"store"},
	"doctor":  {"check", "diagnose", "status"},
}

// suggestCommand returns the commands that a mistyped one may mean.
func suggestCommand(cmd *cobra.Command, name string) []string {
	var known []string
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if !cmd.HasParent() && slices.Contains(otherNames[sub.Name()], strings.ToLower(name)) {
			return []string{sub.Name()}
		}
		known = append(known, sub.Name())
	}
	return edit.Nearest(name, known)
}

// suggestFlag returns the flags that a mistyped one may mean, with their dashes.
func suggestFlag(cmd *cobra.Command, name string) []string {
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	found := edit.Nearest(name, known)
	for i := range found {
		found[i] = "--" + found[i]
	}
	return found
}

// didYouMean returns an error suffix that suggests words; "" for none.
func didYouMean(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(words, " or "))
}
