// Command pack creates the encoder's weights file from the ONNX model and its
// tokenizer. The same inputs give the same bytes on every machine.
//
//	go run ./embed/e5/pack -onnx e5-small-v2.onnx -tokenizer e5-small-v2-tokenizer.json -o embed/e5/e5-small-v2.weights
//
// docs/models/e5-small-v2.md describes the origin of the inputs.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
)

// The SHA-256 sums of the inputs of the repository's weights file.
const (
	wantONNX      = "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0"
	wantTokenizer = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
)

func main() {
	onnx := flag.String("onnx", "e5-small-v2.onnx", "the model, fp32")
	tokenizer := flag.String("tokenizer", "e5-small-v2-tokenizer.json", "its tokenizer")
	out := flag.String("o", "e5-small-v2.weights", "the file to write")
	unchecked := flag.Bool("any", false, "accept inputs with any SHA-256 sum")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*onnx, *tokenizer, *out, *unchecked); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(onnx, tokenizer, out string, unchecked bool) error {
	model, err := readChecked(onnx, wantONNX, unchecked)
	if err != nil {
		return err
	}
	words, err := readChecked(tokenizer, wantTokenizer, unchecked)
	if err != nil {
		return err
	}
	file, err := pack(model, words)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, file, 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  %s (%d bytes)\n", sha256.Sum256(file), out, len(file))
	return nil
}

func readChecked(path, want string, unchecked bool) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != want && !unchecked {
		return nil, fmt.Errorf("%s has SHA-256 %s, want %s (-any accepts it)", path, got, want)
	}
	return b, nil
}
