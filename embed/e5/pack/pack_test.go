package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// MNEME_E5_ONNX is the path of the ONNX file. The tokenizer is in the same
// directory, under its name in the published archive.
func TestThePackedFileIsTheRepositorysByteForByte(t *testing.T) {
	onnx := os.Getenv("MNEME_E5_ONNX")
	if onnx == "" {
		t.Skip("MNEME_E5_ONNX does not name the model; see docs/models/e5-small-v2.md")
	}
	model, err := readChecked(onnx, wantONNX, false)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := readChecked(filepath.Join(filepath.Dir(onnx), "e5-small-v2-tokenizer.json"), wantTokenizer, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pack(model, tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "e5-small-v2.weights"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the file packed from the ONNX model is not the repository's")
	}
}

func TestOtherInputsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readChecked(path, wantONNX, false); err == nil {
		t.Error("a file with another SHA-256 was accepted")
	}
	if b, err := readChecked(path, wantONNX, true); err != nil || string(b) != "not a model" {
		t.Errorf("-any: %q, error %v", b, err)
	}
}

func FuzzReadInitializers(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x3a, 0x0a, 0x2a, 0x08, 0x08, 0x01, 0x10, 0x01, 0x4a, 0x02, 0, 0})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = readInitializers(b) // must not panic
	})
}
