package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mneme/crypto"
)

func newDecrypt(p *program) *cobra.Command {
	var f entryFlags
	cmd := &cobra.Command{
		Use:   "decrypt --key-file FILE --store S [--namespace N] --key K",
		Short: "Decrypt an entry's value from standard input",
		Long: `Decrypts a value that mneme encrypt or get printed, and prints the original text. Fails
unless the value was encrypted for the entry with this store, namespace and key.`,
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
			if value = bytes.TrimSpace(value); !bytes.HasPrefix(value, []byte{'"'}) {
				// Add the quotes of a JSON string, which get omits.
				value = append(append([]byte{'"'}, value...), '"')
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
