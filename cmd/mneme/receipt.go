package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mneme/meter"
)

func newReceipt(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "receipt",
		Short: "Check receipts of paid searches",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReceiptVerify(p))
	return cmd
}

func newReceiptVerify(p *program) *cobra.Command {
	var keys, answer string
	cmd := &cobra.Command{
		Use:   "verify --keys FILE [--answer FILE] [RECEIPT…]",
		Short: "Check receipts offline, and what was answered",
		Long: `Checks that one of the keys signed the receipts, and prints what they say. --keys is
the file that the server has at /.well-known/jwks.json. With --answer, which is the
JSON of a search's answer as it was first sent (- for stdin), also checks that the
answer has the hits that the receipts are for; then the receipts are by default those
of the answer. Needs no server and no database.`,
		Args: cobra.ArbitraryArgs,
		RunE: p.do(func(_ *cobra.Command, receipts []string) error {
			set, err := os.ReadFile(keys)
			if err != nil {
				return err
			}
			var hits json.RawMessage
			if answer != "" {
				found, err := p.readAnswer(answer)
				if err != nil {
					return err
				}
				hits = found.Hits
				if len(receipts) == 0 {
					receipts = found.receipts()
				}
			}
			if len(receipts) == 0 {
				return usageError{errors.New("name a receipt, or an --answer that has one")}
			}
			for _, text := range receipts {
				receipt, err := meter.VerifyReceipt(text, set, hits)
				if err != nil {
					return err
				}
				if err := p.printReceipt(receipt, hits != nil); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&keys, "keys", "", "JWK Set of the server that made the receipts, in this `file`")
	flags.StringVar(&answer, "answer", "", "answer of the search, in this `file`; - for stdin")
	_ = cmd.MarkFlagRequired("keys") // the flag exists
	return cmd
}

// paidAnswer is the part of an answer that its receipts cover.
type paidAnswer struct {
	Hits    json.RawMessage `json:"hits"`
	Charges []struct {
		Receipt string `json:"receipt"`
	} `json:"charges"`
}

func (a paidAnswer) receipts() []string {
	var all []string
	for _, c := range a.Charges {
		all = append(all, c.Receipt)
	}
	return all
}

// maxAnswer is the maximum size of an answer to read, in bytes.
const maxAnswer = 256 << 20

func (p *program) readAnswer(path string) (paidAnswer, error) {
	in := p.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return paidAnswer{}, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxAnswer))
	if err != nil {
		return paidAnswer{}, err
	}
	var a paidAnswer
	if err := json.Unmarshal(text, &a); err != nil || a.Hits == nil {
		return paidAnswer{}, errors.New("--answer is not the JSON of a search's answer")
	}
	return a, nil
}

func (p *program) printReceipt(r meter.Receipt, withHits bool) error {
	if p.json {
		return p.printJSON(r)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "valid: %s paid %s %s credits to %s for %d hits of %s at %s\n", plain(r.Buyer), credits(r.Amount), plain(r.Currency),
		plain(r.Seller), r.Hits, plain(r.Store), r.Time.UTC().Format(time.DateTime))
	fmt.Fprintf(&text, "charge %s, offer %s, line %d of the ledger\n", r.Charge, r.Offer, r.Line)
	if withHits {
		text.WriteString("the hits are those that were answered\n")
	}
	_, err := io.WriteString(p.out, text.String())
	return err
}
