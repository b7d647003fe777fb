package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mneme/embed/tools/pull"
)

// publishedModel is a model that can be downloaded.
type publishedModel struct {
	name             string // of the weights file, without its suffix
	page             string // URL of the folder of its files
	model, tokenizer pull.File
	passages         int // number of built-in passages to which its token codes are fitted; 0: all
}

// publishedMultilingual is multilingual-e5-small as Hugging Face publishes it.
// docs/models/multilingual-e5-small.md names the source of the checksums.
var publishedMultilingual = publishedModel{
	name:      "multilingual-e5-small",
	page:      "https://huggingface.co/intfloat/multilingual-e5-small/resolve/main",
	model:     pull.File{Name: "model.safetensors", Size: 470_641_600, SHA256: "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477"},
	tokenizer: pull.File{Name: "tokenizer.json", Size: 17_082_730, SHA256: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"},
}

// files returns the model's files.
func (m *publishedModel) files() []pull.File { return []pull.File{m.model, m.tokenizer} }

func newModelPull(p *program, published publishedModel, fetcher *pull.Fetcher) *cobra.Command {
	var from, out string
	cmd := &cobra.Command{
		Use:   "pull multilingual",
		Short: "Download a model in full precision and pack it",
		Long: `Downloads the parameters (471 MB) and the tokenizer (17 MB) of multilingual-e5-small
from its page on Hugging Face, packs them into a weights file with 8 bits a parameter
(132 MB) and says how to use it. The program has the same model with 4 bits a
parameter: this one is a little more accurate. Nothing else is downloaded, and nothing
unless you run this.

Both files must have the checksums in the program. A download that breaks off goes on
where it stopped when the command runs again. --from names a mirror, or a folder with
model.safetensors and tokenizer.json, from which nothing is downloaded. Proxies are
taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"multilingual"},
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				config, err := p.configure(cmd)
				if err != nil {
					return err
				}
				out = filepath.Join(config.DataDir, published.name+".weights")
			}
			path, err := filepath.Abs(out)
			if err != nil {
				return err
			}
			g := puller{program: p, published: published, fetcher: fetcher, from: from, path: path}
			return g.run(cmd.Context())
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", "URL of a mirror's folder, or a local `folder`, with the two files")
	flags.StringVar(&out, "out", "", "the weights `file` to write (default: "+published.name+".weights in the data folder)")
	return cmd
}

// puller is one run of model pull.
type puller struct {
	program   *program
	published publishedModel
	fetcher   *pull.Fetcher
	from      string // --from
	path      string // of the weights file
}

func (g *puller) run(ctx context.Context) error {
	folder, local := g.from, g.from != "" && !strings.Contains(g.from, "://")
	err := os.MkdirAll(filepath.Dir(g.path), 0o700)
	switch {
	case err != nil:
	case local:
		err = g.check(folder)
	default:
		folder = g.path + ".download"
		err = g.download(ctx, folder)
	}
	if err != nil {
		return err
	}
	if err := g.pack(ctx, folder); err != nil {
		return err
	}
	if !local {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	if g.program.json {
		return nil
	}
	_, err = fmt.Fprintf(g.program.out, usePulled, g.path)
	return err
}

// usePulled explains how to use a weights file.
const usePulled = `To use it, set e5.weights in the configuration file, or MNEME_E5_WEIGHTS, to
  %s
restart every mneme process, then run mneme reindex.
`

// check verifies the files of a local folder.
func (g *puller) check(folder string) error {
	for _, f := range g.published.files() {
		if err := pull.Check(filepath.Join(folder, f.Name), f); err != nil {
			return err
		}
	}
	return nil
}

// download downloads the files that folder lacks.
func (g *puller) download(ctx context.Context, folder string) (err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	base, total := g.from, int64(0)
	if base == "" {
		base = g.published.page
	}
	for _, f := range g.published.files() {
		total += f.Size
	}
	const megabyte = 1e6
	bar := g.program.newBar(total/megabyte, "downloading "+g.published.name)
	bar.unit = "MB"
	defer func() { err = errors.Join(err, bar.Exit()) }()
	before := int64(0)
	for _, f := range g.published.files() {
		path := filepath.Join(folder, f.Name)
		if pull.Check(path, f) != nil { // otherwise it is complete from an earlier run
			err := g.fetcher.Fetch(ctx, base, f, path, func(done int64) { _ = bar.Set64((before + done) / megabyte) })
			if err != nil {
				return err
			}
		}
		before += f.Size
	}
	return nil
}

// pack creates the weights file from the files in a folder.
func (g *puller) pack(ctx context.Context, folder string) error {
	if onTerminal(g.program.err) {
		fmt.Fprintln(g.program.err, "packing it, which takes about a minute")
	}
	tokenizer, err := os.ReadFile(filepath.Join(folder, g.published.tokenizer.Name))
	if err != nil {
		return err
	}
	file, err := packSafetensors(filepath.Join(folder, g.published.model.Name), tokenizer, 8)
	if err != nil {
		return err
	}
	if file, err = withProjection(ctx, file, nil, g.published.passages); err != nil {
		return err
	}
	return g.program.writeModel(g.path, file)
}
