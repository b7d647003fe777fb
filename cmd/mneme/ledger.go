package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mneme/cmd/compose"
	"mneme/meter"
)

func newLedger(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Check the ledger of accounts",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLedgerVerify(p))
	return cmd
}

func newLedgerVerify(p *program) *cobra.Command {
	var dump string
	cmd := &cobra.Command{
		Use:   "verify [--dump FILE]",
		Short: "Check the chain and the sums of the ledger",
		Long: `Checks every line of the ledger: its number, its hash and the previous line's,
that it sums to zero, and that no agent's balance was ever negative; and that the
balances in the database are the sums of the lines. With --dump, checks the lines of
a dump by "mneme export --full" (- for stdin) instead. Prints the number of lines and
the hash of the last one: kept elsewhere, it shows later whether lines were changed or
cut off at the end.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			check, err := p.verifyLedger(cmd, dump)
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(map[string]any{"lines": check.Lines, "last": check.Last})
			}
			_, err = fmt.Fprintf(p.out, "the ledger is sound: %d lines, the last %s\n", check.Lines, check.Last)
			return err
		}),
	}
	cmd.Flags().StringVar(&dump, "dump", "", "check the dump in this `file`; - for stdin")
	return cmd
}

func (p *program) verifyLedger(cmd *cobra.Command, dump string) (check *meter.LedgerCheck, err error) {
	switch dump {
	case "":
	case "-":
		return verifyDump(p.in)
	default:
		file, err := os.Open(dump)
		if err != nil {
			return nil, err
		}
		defer closeJoin(file, &err)
		return verifyDump(file)
	}
	config, err := p.configure(cmd)
	if err != nil {
		return nil, err
	}
	instance, err := compose.OpenRows(cmd.Context(), config, p.logger(config.Log))
	if err != nil {
		return nil, err
	}
	defer closeJoin(instance, &err)
	err = instance.Storage.ForMeter().View(cmd.Context(), func(tx meter.ReadTx) error {
		check, err = meter.VerifyLedger(cmd.Context(), tx)
		return err
	})
	return check, err
}

// verifyDump checks the ledger of a dump.
func verifyDump(in io.Reader) (*meter.LedgerCheck, error) {
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	var header struct{ Format string }
	if err := decoder.Decode(&header); err != nil || header.Format != "mneme dump" {
		return nil, errors.New("not a mneme dump")
	}
	check := new(meter.LedgerCheck)
	for records := 0; ; records++ {
		var line struct {
			Meter json.RawMessage
			End   *struct{ Records int }
		}
		err := decoder.Decode(&line)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("the dump is cut off after %d records", records)
		case err != nil:
			return nil, fmt.Errorf("record %d of the dump cannot be read", records+1)
		case line.End != nil && line.End.Records != records:
			return nil, fmt.Errorf("the dump has %d records, but its end line says %d", records, line.End.Records)
		case line.End != nil:
			return check, nil
		case line.Meter == nil:
			continue
		}
		record, err := meter.DecodeDumpRecord(line.Meter)
		if err != nil {
			return nil, fmt.Errorf("record %d of the dump cannot be read", records+1)
		}
		if record.Line == nil {
			continue
		}
		if err := check.Add(*record.Line); err != nil {
			return nil, err
		}
	}
}
