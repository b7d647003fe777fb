package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mneme/internal/edit"
)

// explainMistakes makes the command-line errors of a command and its subcommands explain
// the mistake and the correct usage. They never repeat an argument, which may be the text
// of a memory.
func explainMistakes(root *cobra.Command) {
	root.SetFlagErrorFunc(flagMistake)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) }
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		takeOnce(cmd.LocalNonPersistentFlags())
		takeOnce(cmd.PersistentFlags())
		if check := cmd.Args; check != nil {
			cmd.Args = func(cmd *cobra.Command, args []string) error { return argumentMistake(cmd, args, check) }
		}
		if !cmd.Runnable() { // cobra would print its help for any arguments
			cmd.Args = func(cmd *cobra.Command, args []string) error { return argumentMistake(cmd, args, cobra.NoArgs) }
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// usageOf returns the usage line of a command.
func usageOf(cmd *cobra.Command) string {
	return "usage: " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

// unknownCommand reports a command that does not exist.
func unknownCommand(cmd *cobra.Command, name string) error {
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), didYouMean(suggestCommand(cmd, name)))
}

// argumentMistake returns the error of check for the arguments of a command.
func argumentMistake(cmd *cobra.Command, args []string, check cobra.PositionalArgs) error {
	if check(cmd, args) == nil {
		return nil
	}
	if cmd.HasSubCommands() {
		return unknownCommand(cmd, args[0])
	}
	for n := range args {
		if check(cmd, args[:n]) == nil {
			allowed := n
			for allowed+1 < len(args) && check(cmd, args[:allowed+1]) == nil {
				allowed++
			}
			return fmt.Errorf("%s too many; %s", counted(len(args)-allowed, "argument"), usageOf(cmd))
		}
	}
	return fmt.Errorf("an argument is missing; %s", usageOf(cmd))
}

// counted returns a count with its noun, such as "2 arguments".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// flagMistake returns the error of a flag that could not be parsed.
func flagMistake(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacking *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("an argument begins with -- but names no flag; flags are --NAME or --NAME=VALUE, and after -- all is text; %s", usageOf(cmd))
	case errors.As(err, &unknown):
		// The flags of a mistyped command belong to no command.
		if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		name, short := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()
		switch {
		case len(short) == 1 && short[0] >= 'a':
			return fmt.Errorf("unknown flag -%s for %q", name, cmd.CommandPath())
		case short != "" || strings.ContainsFunc(name, unicode.IsSpace):
			return fmt.Errorf("an argument begins with a hyphen but is no flag of %q; after -- all is text; %s", cmd.CommandPath(), usageOf(cmd))
		}
		hint := didYouMean(suggestFlag(cmd, name))
		if hint == "" && cmd.HasSubCommands() {
			hint = "; flags of a command follow its name"
		}
		return fmt.Errorf("unknown flag --%s for %q%s", name, cmd.CommandPath(), hint)
	case errors.As(err, &lacking):
		return fmt.Errorf("--%s needs a value", lacking.GetSpecifiedName())
	case errors.As(err, &invalid) && errors.Is(invalid.Unwrap(), errTwice):
		return fmt.Errorf("--%s was given twice", invalid.GetFlag().Name)
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		return fmt.Errorf("--%s %s", flag.Name, withoutName(flagRule(flag, invalid.Unwrap()), flag.Name))
	}
	return err
}

// errTwice reports that a flag for a single value has two different ones: either may be
// meant.
var errTwice = errors.New("given twice")

// once is the value of a flag that may be given once. Completion sets it twice to the same
// value.
type once struct {
	pflag.Value
	given *string
}

// Set implements pflag.Value.
func (o *once) Set(text string) error {
	if o.given != nil && *o.given != text {
		return errTwice
	}
	o.given = &text
	return o.Value.Set(text)
}

// takeOnce restricts flags to one value each, except lists and booleans.
func takeOnce(flags *pflag.FlagSet) {
	flags.VisitAll(func(flag *pflag.Flag) {
		_, list := flag.Value.(pflag.SliceValue)
		if _, done := flag.Value.(*once); !list && !done && flag.Value.Type() != "bool" {
			flag.Value = &once{Value: flag.Value}
			if flag.DefValue == "0s" {
				// The help omits the default "0" of a flag of any type, but not "0s".
				flag.DefValue = "0"
			}
		}
	})
}

// withoutName removes the name of a flag from the start of a rule: "where: must be JSON"
// becomes "must be JSON", and "where.tags: must be a list" becomes "tags: must be a list".
func withoutName(rule, name string) string {
	rule = strings.TrimPrefix(rule, name+": ")
	return strings.TrimPrefix(rule, name+".")
}

// flagRule returns the rule for the value of a flag.
func flagRule(flag *pflag.Flag, err error) string {
	switch flag.Value.Type() {
	case "int", "int64", "uint", "uint64":
		return "must be a whole number"
	case "float64":
		return "must be a number"
	case "bool":
		return "must be true or false"
	}
	if flag.Value.Type() == "intSlice" {
		return "must be whole numbers with commas between them"
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		return "must be a number"
	}
	return err.Error()
}

// valuesOf is the annotation of a flag with a fixed set of values.
const valuesOf = "mneme_values"

// checkFlags reports the first flag that is missing, conflicts with another, or has a
// value outside its fixed set.
func checkFlags(cmd *cobra.Command) error {
	var missing []string
	var wrong error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		required := flag.Annotations[cobra.BashCompOneRequiredFlag]
		if !flag.Changed && len(required) == 1 && required[0] == "true" {
			missing = append(missing, "--"+flag.Name)
		}
		values, text := flag.Annotations[valuesOf], flag.Value.String()
		if wrong == nil && flag.Changed && len(values) > 0 && text != "" && !slices.Contains(values, text) {
			wrong = fmt.Errorf("--%s must be %s%s", flag.Name, alternatives(values), didYouMean(edit.Nearest(text, values)))
		}
	})
	switch {
	case wrong != nil:
		return wrong
	case len(missing) == 1:
		return fmt.Errorf("%s is missing; %s", missing[0], usageOf(cmd))
	case len(missing) > 1:
		return fmt.Errorf("%s are missing; %s", strings.Join(missing, ", "), usageOf(cmd))
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return groupMistake(err)
	}
	return nil
}

// alternatives returns "a, b or c".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// groupMistake returns the error of flags that exclude or require each other.
func groupMistake(err error) error {
	text := err.Error()
	_, rest, _ := strings.Cut(text, "[")
	group, tail, _ := strings.Cut(rest, "]")
	names := func(list string) []string {
		words := strings.Fields(list)
		for i := range words {
			words[i] = "--" + words[i]
		}
		return words
	}
	switch {
	case strings.HasPrefix(text, "at least one of"):
		return fmt.Errorf("%s is required", alternatives(names(group)))
	case strings.Contains(text, "none of the others can be"):
		if _, set, ok := strings.Cut(tail, "["); ok {
			set, _, _ = strings.Cut(set, "]")
			return fmt.Errorf("%s exclude each other", strings.Join(names(set), " and "))
		}
	}
	return err
}
