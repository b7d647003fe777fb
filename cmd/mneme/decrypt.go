package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mneme/crypto"
)

func newDecrypt(p *program) *cobra.Command {
	var f entryFlags
	cmd := &cobra.Command{
		Use:   "decrypt --key-file FILE --store S [--namespace N] --key K",
		Short: "Decrypt the value of an entry, given on standard input",
		Long: `Decrypts a value that mneme encrypt printed for the entry with that store,
namespace and key, and prints the original text. The value of any other entry is
refused.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(*cobra.Command, []string) error {
			value, err := io.ReadAll(p.in)
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			ring, err := crypto.Load(f.keyFile)
			if err != nil {
				return err
			}
			blob, err := crypto.DecodeValue(value)
			if err != nil {
				return err
			}
			plaintext, err := ring.Open(blob, f.entry)
			if err != nil {
				return err
			}
			_, err = p.out.Write(plaintext)
			return err
		}),
	}
	f.add(cmd)
	return cmd
}
