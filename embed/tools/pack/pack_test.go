package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// MNEME_E5_ONNX is the path of the ONNX file. The tokenizer is in the same
// directory, under its name in the published archive.
func TestThePackedFileMatchesTheRepository(t *testing.T) {
	onnx := os.Getenv("MNEME_E5_ONNX")
	if onnx == "" {
		t.Skip("MNEME_E5_ONNX does not name the model; see docs/models/e5-small-v2.md")
	}
	model, err := os.ReadFile(onnx)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := os.ReadFile(filepath.Join(filepath.Dir(onnx), "e5-small-v2-tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ONNX(model, tokenizer, 8)
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

func FuzzReadInitializers(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x3a, 0x0a, 0x2a, 0x08, 0x08, 0x01, 0x10, 0x01, 0x4a, 0x02, 0, 0})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = readInitializers(b) // must not panic
	})
}
