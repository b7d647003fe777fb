package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mneme/embed/e5"
	"mneme/embed/tools/pack"
	"mneme/embed/tools/pull"
	"mneme/internal/system"
)

func newModel(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Prepare other embedding models for use in the process",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelPack(p), newModelFit(p), newModelPull(p, publishedMultilingual, pull.New()))
	return cmd
}

// packedModel is the output of the model commands about the file that they wrote.
type packedModel struct {
	File        string `json:"file"`
	Bytes       int    `json:"bytes"`
	Fingerprint string `json:"fingerprint"`
}

func newModelPack(p *program) *cobra.Command {
	var safetensors, onnx, tokenizer, out string
	var bits int
	var codes bool
	cmd := &cobra.Command{
		Use:   "pack (--safetensors FILE | --onnx FILE) --tokenizer FILE --out FILE",
		Short: "Write a model's parameters and tokenizer as a weights file",
		Long: `Packs a published model into the weights file that the configuration key
e5.weights names, with 8 bits a parameter. With --bits 4 the file is about half as large,
and less accurate unless the parameters were in 4 bits before. Supported
are BERT encoders 384 wide with 12 heads, 1,536 inner
and 512 positions, trained with the prefixes "query: " and "passage: ", such as
multilingual-e5-small. Their tokenizer is a unigram model as in XLM-RoBERTa, or
WordPiece as in uncased BERT. The file has the projection of token codes, fitted to
texts in the program; mneme model fit fits it to others.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			words, err := os.ReadFile(tokenizer)
			if err != nil {
				return err
			}
			var file []byte
			if onnx != "" {
				file, err = packONNX(onnx, words, bits)
			} else {
				file, err = packSafetensors(safetensors, words, bits)
			}
			if err != nil {
				return err
			}
			if codes {
				file, err = withProjection(cmd.Context(), file, nil, 0)
			}
			if err != nil {
				return err
			}
			return p.writeModel(out, file)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&safetensors, "safetensors", "", "the parameters: model.safetensors, in F32, F16 or BF16")
	flags.StringVar(&onnx, "onnx", "", "the parameters: model.onnx as exported by PyTorch, in fp32")
	flags.StringVar(&tokenizer, "tokenizer", "", "the tokenizer: tokenizer.json")
	flags.StringVar(&out, "out", "", "the weights file to write")
	flags.IntVar(&bits, "bits", 8, "bits of a parameter: 8 or 4")
	flags.BoolVar(&codes, "codes", true, "fit the projection of token codes")
	cmd.MarkFlagsOneRequired("safetensors", "onnx")
	cmd.MarkFlagsMutuallyExclusive("safetensors", "onnx")
	_ = cmd.MarkFlagRequired("tokenizer") // it fails only for unknown flags
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

// writeModel writes a weights file if the encoder can use it, and prints its packedModel.
func (p *program) writeModel(out string, file []byte) error {
	encoder, err := e5.New(e5.Options{Weights: file})
	if err != nil {
		return fmt.Errorf("the packed file cannot be used: %w", err)
	}
	if coded, err := encoder.WithCodes(); err == nil {
		encoder = coded
	} else if !errors.Is(err, e5.ErrNoProjection) {
		return fmt.Errorf("the packed file cannot be used: %w", err)
	}
	if err := replaceFile(out, file); err != nil {
		return err
	}
	packed := packedModel{File: out, Bytes: len(file), Fingerprint: encoder.Fingerprint()}
	if p.json {
		return p.printJSON(packed)
	}
	_, err = fmt.Fprintf(p.out, "%s: %d bytes, fingerprint %s\n", packed.File, packed.Bytes, packed.Fingerprint)
	return err
}

func packONNX(path string, tokenizer []byte, bits int) ([]byte, error) {
	model, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := pack.ONNX(model, tokenizer, bits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// packSafetensors reads the parameters tensor by tensor: a multilingual model has half a
// gigabyte of them.
func packSafetensors(path string, tokenizer []byte, bits int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := pack.Safetensors(f, info.Size(), tokenizer, bits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// replaceFile writes a file under another name first, so that a process that reads the
// path sees the complete old or the complete new file.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = system.Replace(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
