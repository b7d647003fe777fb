package main

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Durations may be in days in every command.
func TestEveryDurationOfACommandMayHaveDays(t *testing.T) {
	found := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if flag.Value.Type() != "duration" {
				return
			}
			found++
			if err := flag.Value.Set("1d12h"); err != nil || flag.Value.String() != (36*time.Hour).String() {
				t.Errorf("%s --%s: %s, %v", cmd.CommandPath(), flag.Name, flag.Value, err)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&program{}))
	if found < 6 {
		t.Errorf("%d durations", found)
	}
	if r := mneme(t, t.TempDir(), "", "token", "--agent", "me", "--ttl", "1"); r.status != exitUsage ||
		r.err != "mneme: --ttl must be a duration with a unit, such as 90s, 12h, 30d or 1d12h\nRun 'mneme token --help' for usage.\n" {
		t.Errorf("%+v", r)
	}
	must(t, t.TempDir(), "", "token", "--agent", "me", "--ttl", "30d")
}

func TestAVariableLikeASettingIsWarnedOf(t *testing.T) {
	t.Setenv("MNEME_STORRAGE", "secret")
	r := mneme(t, t.TempDir(), "", "config", "show")
	if want := "name=MNEME_STORRAGE did_you_mean=MNEME_STORAGE"; r.status != exitDone || !strings.Contains(r.err, want) || strings.Contains(r.err, "secret") {
		t.Errorf("%+v", r)
	}
}
