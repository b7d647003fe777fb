package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mneme/crypto"
)

// entryFlags name the key file, and the entry to which an encrypted value is bound.
type entryFlags struct {
	keyFile string
	entry   crypto.EntryRef
}

func (f *entryFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.keyFile, "key-file", "", "`file` with the encryption keys")
	flags.StringVar(&f.entry.Store, "store", "", "ID of the entry's store")
	flags.StringVar(&f.entry.Namespace, "namespace", "", "the entry's namespace")
	flags.StringVar(&f.entry.Key, "key", "", "the entry's key")
	for _, name := range []string{"key-file", "store", "key"} {
		_ = cmd.MarkFlagRequired(name) // the flags exist
	}
}

func newEncrypt(p *program) *cobra.Command {
	var f entryFlags
	cmd := &cobra.Command{
		Use:   "encrypt --key-file FILE --store S [--namespace N] --key K",
		Short: "Encrypt standard input as an entry's value",
		Long: `Encrypts standard input for the entry with this store, namespace and key, and
prints it as a JSON string, to be written as the entry's value together with
"encrypted": true. Creates the key file if it does not exist. The server never
sees the keys or the text. Keep the key file: without it, nothing can be
decrypted.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(*cobra.Command, []string) error {
			plaintext, err := io.ReadAll(p.in)
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			ring, created, err := crypto.LoadOrCreate(f.keyFile)
			if err != nil {
				return err
			}
			if created {
				fmt.Fprintf(p.err, "created a new key in %s; keep this file: without it, nothing can be decrypted\n", f.keyFile)
			}
			blob, err := ring.Seal(plaintext, f.entry)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.out, "%s\n", crypto.EncodeValue(blob))
			return err
		}),
	}
	f.add(cmd)
	return cmd
}
