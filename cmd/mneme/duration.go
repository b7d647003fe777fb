package main

import (
	"time"

	"github.com/spf13/pflag"

	"mneme/internal/period"
)

// durationFlag is a duration, which may be in days.
type durationFlag time.Duration

// durationVar adds the flag of a duration.
func durationVar(flags *pflag.FlagSet, d *time.Duration, name string, value time.Duration, use string) {
	*d = value
	flags.Var((*durationFlag)(d), name, use)
}

// String, Set and Type implement pflag.Value.
func (d *durationFlag) String() string { return time.Duration(*d).String() }

// Set returns an error unless text is a duration.
func (d *durationFlag) Set(text string) error {
	given, err := period.ParseDuration(text)
	if err == nil {
		*d = durationFlag(given)
	}
	return err
}

// Type returns the name of the value in the help.
func (d *durationFlag) Type() string { return "duration" }
