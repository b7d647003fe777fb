package main

import (
	"os"

	"github.com/spf13/cobra"

	"mneme/configs"
)

func newConfig(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration and where it comes from",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigShow(p))
	return cmd
}

func newConfigShow(p *program) *cobra.Command {
	var changed bool
	cmd := &cobra.Command{
		Use:   "show [--changed]",
		Short: "Print every configuration key with its value and its source",
		Long: `Prints every key of the configuration, one per line: its value, and whether that is
the default or comes from the file, an environment variable or a flag. Secrets are
hidden. With --json, one object with a member for each key.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			settings, err := configs.Explain(config, p.configFile(), cmd.Flags())
			if err != nil {
				return usageError{err}
			}
			return p.printSettings(settings, changed)
		}),
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only keys whose values are not the defaults")
	cmd.Flags().String("addr", configs.Default().Addr, "`address` to listen on, as serve takes it")
	return cmd
}

// configFile returns the configuration file; "" for none.
func (p *program) configFile() string {
	if p.file != "" {
		return p.file
	}
	return os.Getenv("MNEME_CONFIG")
}

// printSettings prints settings, or only those that are not defaults.
func (p *program) printSettings(settings []configs.Setting, changed bool) error {
	table := p.newTable(column{heading: "KEY", style: always(bold)}, column{heading: "VALUE"}, column{heading: "FROM", style: always(faint)})
	type shown struct {
		Value  any    `json:"value"`
		Source string `json:"source"`
	}
	object := make(map[string]shown)
	for _, s := range settings {
		if changed && s.Source == configs.FromDefault {
			continue
		}
		object[s.Key] = shown{s.Value, s.Source}
		value := plain(s.Text())
		if value == "" {
			value = `""`
		}
		table.add(s.Key, value, plain(s.Source))
	}
	if p.json {
		return p.printJSON(object)
	}
	return table.flush()
}
