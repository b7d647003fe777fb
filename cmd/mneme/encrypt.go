package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mneme/crypto"
)

// placeFlags say which entry an encrypted value is for.
type placeFlags struct {
	keyFile string
	place   crypto.EntryRef
}

func (f *placeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.keyFile, "key-file", "", "`file` of the keys that seal and open")
	flags.StringVar(&f.place.Store, "store", "", "the entry's store, by its id")
	flags.StringVar(&f.place.Namespace, "namespace", "", "the entry's namespace")
	flags.StringVar(&f.place.Key, "key", "", "the entry's key")
	for _, name := range []string{"key-file", "store", "key"} {
		// Without an error: the flags are there.
		_ = cmd.MarkFlagRequired(name)
	}
}

func newEncrypt(p *program) *cobra.Command {
	var f placeFlags
	cmd := &cobra.Command{
		Use:   "encrypt --key-file FILE --store S [--namespace N] --key K",
		Short: "Seal standard input for one entry, and print the value to write with \"encrypted\": true",
		Long: `Seals standard input for the entry of that store, namespace and key, and
prints the JSON string to write there with "encrypted": true. The key file is
made if there is none. It never leaves this machine: the service sees neither
key nor text, and a lost key file loses what was sealed with it.`,
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
				fmt.Fprintf(p.err, "made a new key in %s: keep it, for without it nothing that it seals can be opened\n", f.keyFile)
			}
			blob, err := ring.Seal(plaintext, f.place)
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
