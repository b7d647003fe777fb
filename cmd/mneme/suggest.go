package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// otherNames are names that people try for a command.
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
	return nearest(name, known)
}

// suggestFlag returns the flags that a mistyped one may mean, with their dashes.
func suggestFlag(cmd *cobra.Command, name string) []string {
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	found := nearest(name, known)
	for i := range found {
		found[i] = "--" + found[i]
	}
	return found
}

// didYouMean returns the end of an error that suggests words; "" for none.
func didYouMean(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(words, " or "))
}

// nearest returns the known words that are likely meant by a mistyped one: those at
// the smallest distance if that is at most a third of its length, else those that
// it begins.
func nearest(word string, known []string) []string {
	word = strings.ToLower(word)
	best := max(1, len(word)/3)
	var found, begun []string
	for _, k := range known {
		folded := strings.ToLower(k)
		switch d := distance(word, folded); {
		case d < best:
			best, found = d, []string{k}
		case d == best:
			found = append(found, k)
		}
		if len(word) >= 2 && strings.HasPrefix(folded, word) {
			begun = append(begun, k)
		}
	}
	if len(found) == 0 {
		found = begun
	}
	if len(found) > 3 {
		return nil // too many to help
	}
	return found
}

// distance returns the number of insertions, deletions, substitutions and swaps of
// neighbouring bytes between two words (optimal string alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
