package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestMistypedCommandLinesSayWhatWasMeant(t *testing.T) {
	for line, want := range map[string]string{
		"gte --agent a":                      `unknown command "gte" for "mneme"; did you mean get?`,
		"rm --agent a k":                     "did you mean delete?",
		"offer crate":                        "did you mean create?",
		"get --agnt a k":                     "unknown flag --agnt for \"mneme get\"; did you mean --agent?",
		"get -q k":                           "unknown flag -q",
		"get --agent a k --url":              "--url needs a value",
		"get --agent a --agent b k":          "--agent was given twice",
		"put --agent a k -5 --ttl 5m secret": "an argument begins with a hyphen but is no flag of \"mneme put\"; after -- all is text",
		"put --agent a k":                    "a VALUE is missing, and standard input is empty",
		"get --agent a":                      "an argument is missing; usage: mneme get --agent A KEY",
		"get --agent a k secret":             "1 argument too many; usage: mneme get",
		"put --agent a k secret and more":    "2 arguments too many",
		"get k":                              "--agent is missing; usage: mneme get --agent A KEY",
		"list --agent a --taint CONFIDENTL":  "--taint must be PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED; did you mean CONFIDENTIAL?",
		"search --agent a --mode lexcal q":   "did you mean lexical?",
		"share --agent a --level write b":    "--level must be search, read or readwrite",
		"list --agent a --limit ten":         "--limit must be a whole number",
		"put --agent a --ttl 5 k v":          "--ttl must be a duration with a unit, such as 90s",
		"search --agent a --where x q":       "mneme: --where must be JSON",
		"search --agent a --match x q":       "mneme: --match must be a JSON object",
		"bench speed --entries x":            "--entries must be whole numbers with commas between them",
		"completion foo":                     `unknown command "foo" for "mneme completion"`,
		"put --agent a k ---secret":          "an argument begins with -- but names no flag",
		"token":                              "--agent, --list, --revoke or --rotate-key is required",
		"purge --yes --dry-run":              "--dry-run and --yes exclude each other",
		"search --agent a --storage sqlit q": "--storage must be sqlite or postgres; did you mean sqlite?",
	} {
		r := mneme(t, "", "", strings.Fields(line)...)
		if r.status != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("mneme %s: status %d\n%s", line, r.status, r.err)
		}
		if strings.Contains(r.err, "secret") {
			t.Errorf("mneme %s: the error repeats an argument", line)
		}
	}
}

func TestUsageErrorsNameTheHelpOfTheirCommand(t *testing.T) {
	for line, help := range map[string]string{"get": "mneme get --help", "gte": "mneme --help", "offer crate": "mneme offer --help"} {
		if r := mneme(t, "", "", strings.Fields(line)...); !strings.Contains(r.err, "Run '"+help+"' for usage.") {
			t.Errorf("mneme %s: %s", line, r.err)
		}
	}
}

func TestTheVersionFlagPrintsWhatTheCommandDoes(t *testing.T) {
	if got, want := must(t, "", "", "--version"), must(t, "", "", "version"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAPurgeElsewhereThanOnATerminalDoesNotAsk(t *testing.T) {
	if r := mneme(t, folderWithDatabase(t), "n\n", "purge"); r.status != 0 || r.out != "erased 0 entries\n" || r.err != "" {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.err)
	}
}

func TestADryRunOfAPurgeCountsAndErasesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MNEME_LIMITS_RETENTION", "0s")
	must(t, dir, "", "put", "--agent", "a", "k", "v")
	must(t, dir, "", "delete", "--agent", "a", "k")
	for range 2 {
		if out := must(t, dir, "", "purge", "--dry-run"); out != "would erase 1 entry\n" {
			t.Errorf("got %q", out)
		}
	}
	if out := must(t, dir, "", "purge", "--dry-run", "--json"); out != `{"dry_run":true,"entries":1}`+"\n" {
		t.Errorf("got %q", out)
	}
	if out := must(t, dir, "", "purge", "--yes"); out != "erased 1 entry\n" {
		t.Errorf("got %q", out)
	}
	if out := must(t, dir, "", "purge", "--dry-run"); out != "would erase 0 entries\n" {
		t.Errorf("got %q", out)
	}
}

func TestAPurgeThatDoesNotWaitLeavesTheFilesToTheNext(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MNEME_LIMITS_RETENTION", "0s")
	must(t, dir, "", "put", "--agent", "a", "k", "v")
	must(t, dir, "", "delete", "--agent", "a", "k")
	if out := must(t, dir, "", "purge", "--yes", "--wait=false", "--json"); !strings.Contains(out, `"entries":1`) || strings.Contains(out, "erased_on_disk") {
		t.Errorf("without waiting: %s", out)
	}
	if out := must(t, dir, "", "purge", "--yes", "--json"); !strings.Contains(out, `"entries":0`) || !strings.Contains(out, "erased_on_disk") {
		t.Errorf("afterwards: %s", out)
	}
}

func TestOnlyYesConfirms(t *testing.T) {
	for text, want := range map[string]bool{"y\n": true, "YES\n": true, "yes": true, "\n": false, "": false, "n\n": false, "yep\n": false} {
		var asked strings.Builder
		p := &program{in: strings.NewReader(text), err: &asked}
		if got, err := p.confirm(t.Context(), "Erase?"); err != nil || got != want || asked.String() != "Erase? [y/N] " {
			t.Errorf("%q: %v, %v, %q", text, got, err, asked.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	p := &program{in: r, err: new(strings.Builder)}
	if _, err := p.confirm(ctx, "Erase?"); err == nil {
		t.Error("an interrupt waits for the answer")
	}
}

func TestHelpOfAMistypedCommandSaysWhatWasMeant(t *testing.T) {
	for line, want := range map[string]string{
		"help serch":       `unknown command "serch" for "mneme"; did you mean search?`,
		"help offer crate": `unknown command "crate" for "mneme offer"; did you mean create?`,
		"help get it":      `unknown command "it" for "mneme get"`,
		"completion bahs":  "did you mean bash?",
	} {
		r := mneme(t, "", "", strings.Fields(line)...)
		if r.status != exitUsage || !strings.Contains(r.err, want) || r.out != "" {
			t.Errorf("mneme %s: status %d\n%s%s", line, r.status, r.err, r.out)
		}
	}
	for line, same := range map[string]string{"help": "--help", "help search": "search --help", "help offer create": "offer create --help"} {
		if got, want := must(t, "", "", strings.Fields(line)...), must(t, "", "", strings.Fields(same)...); got != want {
			t.Errorf("mneme %s: got\n%s\nwant\n%s", line, got, want)
		}
	}
}

// Tests every command with each of its flags, so that no message of a library, which would
// repeat the argument, is printed.
func TestNoMistakeInACommandLineIsAnsweredInTheWordsOfALibrary(t *testing.T) {
	const secret = "hush-7"
	libraries := []string{"strconv", "invalid argument", "bad flag", "shorthand", "flag needs", "accepts ", "requires ", "required flag", "parsing", secret}
	count := 0
	check := func(args ...string) {
		t.Helper()
		count++
		var out, said strings.Builder
		if status := run(t.Context(), args, strings.NewReader(""), &out, &said); status != exitUsage || !strings.HasPrefix(said.String(), "mneme: ") {
			t.Errorf("mneme %q: status %d\n%s%s", args, status, said.String(), out.String())
		}
		for _, words := range libraries {
			if strings.Contains(said.String(), words) {
				t.Errorf("mneme %q: %s", args, said.String())
			}
		}
	}
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		with := func(args ...string) []string { return append(slices.Clone(path), args...) }
		for _, arg := range []string{"---" + secret, "--=" + secret, "--nonesuch=" + secret, "-~"} {
			check(with(arg)...)
		}
		cmd.InheritedFlags() // merges the inherited flags
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.NoOptDefVal == "" {
				check(with("--" + flag.Name)...)
			}
			switch flag.Value.Type() {
			case "string", "stringArray", "stringSlice":
			default:
				check(with("--" + flag.Name + "=" + secret)...)
			}
		})
		for _, sub := range cmd.Commands() {
			if sub.Name() != "__complete" {
				walk(sub, with(sub.Name()))
			}
		}
	}
	walk(newRoot(&program{}), nil)
	if count < 500 {
		t.Errorf("only %d command lines were tried", count)
	}
}

func TestATextMayBeginWithAHyphen(t *testing.T) {
	dir := t.TempDir()
	must(t, "", "", "put", "--data-dir", dir, "--agent", "a", "list", "--", "- milk")
	if got := must(t, dir, "", "get", "--agent", "a", "list"); got != "- milk\n" {
		t.Errorf("got %q", got)
	}
	r := mneme(t, dir, "", "put", "--agent", "a", "list", "--no secret of mine")
	if r.status != exitUsage || strings.Contains(r.err, "secret") || !strings.Contains(r.err, "after -- all is text") {
		t.Errorf("status %d\n%s", r.status, r.err)
	}
}

// A list may be given several times.
func TestListsAreGivenSeveralTimes(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "--agent", "a", "--tag", "x", "--tag", "y", "--json", "--json", "k", "v")
	if got := must(t, dir, "", "get", "--agent", "a", "--json", "k"); !strings.Contains(got, `"tags":["x","y"]`) {
		t.Error(got)
	}
}

func TestATokenOfAnotherAgentIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MNEME_TOKEN", strings.TrimSpace(must(t, dir, "", "token", "--agent", "bob")))
	r := mneme(t, dir, "", "put", "--agent", "alice", "--url", "http://127.0.0.1:1", "k", "v")
	if r.status != exitUsage || !strings.Contains(r.err, "MNEME_TOKEN is of agent bob, and --agent is alice") {
		t.Errorf("status %d\n%s", r.status, r.err)
	}
}

// On a terminal and in a pipe a search answers like the tools, with --json like REST.
func TestASearchForPeopleAnswersAsTheToolsDo(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "--agent", "a", "--occurred-at", "2026-07-09", "drinks", "In the afternoon I like green tea with honey.")
	must(t, dir, "", "put", "--agent", "a", "car", "The brakes must be repaired before winter.")
	for question, want := range map[string]string{
		"which tea do I like in the afternoon?": "  drinks  PUBLIC  2026-07-09\n",
		"hello":                                 "nothing found\n",
		"?!":                                    "nothing found: the question has no words\n",
		"what happened on 5 July 2026?":         "nothing found: no entry is of that time; the nearest is of 2026-07-09\n",
	} {
		if got := must(t, dir, "", "search", "--agent", "a", question); !strings.Contains(got, want) || strings.Contains(got, "car") {
			t.Errorf("%s: %s", question, got)
		}
		if got := must(t, dir, "", "search", "--agent", "a", "--min-relevance", "0", question); strings.Contains(want, "nothing") && question == "hello" && !strings.Contains(got, "car") {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// An answer for people requests no option that a store at level search rejects.
func TestASearchForPeopleReachesStoresAtLevelSearch(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "--agent", "owner", "tea", "In the afternoon the owner drinks green tea.")
	must(t, dir, "", "share", "--agent", "owner", "--level", "search", "buyer")
	if got := must(t, dir, "", "search", "--agent", "buyer", "--stores", "owner", "what does the owner drink?"); !strings.Contains(got, "green tea") {
		t.Error(got)
	}
}
