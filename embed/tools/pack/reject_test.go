package pack

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"mneme/embed/e5/unigram"
	"mneme/embed/e5/weightfile"
	"mneme/embed/tools/pack/packtest"
)

// smallTokenizer is a tokenizer.json with every field that pack reads.
const smallTokenizer = `{
	"added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "</s>", "special": true}, {"id": 9, "content": "<x>", "special": true}],
	"normalizer": {"type": "Sequence", "normalizers": [
		{"type": "Precompiled", "precompiled_charsmap": ""},
		{"type": "Strip", "strip_left": false, "strip_right": true},
		{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]},
	"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
	"post_processor": {"type": "TemplateProcessing",
		"single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
		"special_tokens": {"<s>": {"ids": [0]}, "</s>": {"ids": [1]}}},
	"model": {"type": "Unigram", "unk_id": 2, "vocab": [["<s>", 0], ["</s>", 0], ["<unk>", 0], ["▁a", -1.5], ["b", -2]]}
}`

func TestTokenizersAreRead(t *testing.T) {
	pieces, config, err := readTokenizer([]byte(smallTokenizer))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pieces, []string{"<s>", "</s>", "<unk>", "▁a", "b"}) {
		t.Errorf("pieces %q", pieces)
	}
	none := math.Inf(-1)
	if want := []float64{none, none, none, -1.5, -2}; !slices.Equal(config.Scores, want) || config.UnknownScore != -12 {
		t.Errorf("scores %v, unknown %v", config.Scores, config.UnknownScore)
	}
	if config.Start != 0 || config.End != 1 || config.Unknown != 2 || config.Spaces != (unigram.Spaces{Collapse: true, TrimRight: true}) {
		t.Errorf("got %+v", config)
	}
	split := strings.Replace(smallTokenizer, `"pre_tokenizer": {`, `"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {`, 1)
	split = strings.Replace(split, `"split": true}`, `"split": true}]}`, 1)
	if _, config, err = readTokenizer([]byte(split)); err != nil || !config.Spaces.Split {
		t.Errorf("got %+v, error %v", config, err)
	}
}

// If tokenizer.json has a setting that this program does not implement, that is an error,
// because it could change token IDs.
func TestOtherTokenizersAreRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"not JSON":                     {`{`, `[`},
		"BPE":                          {`"Unigram"`, `"BPE"`},
		"bytes for unknown characters": {`"unk_id"`, `"byte_fallback": true, "unk_id"`},
		"no unknown token":             {`"unk_id": 2`, `"unk_id": null`},
		"unknown token out of range":   {`"unk_id": 2`, `"unk_id": 5`},
		"unknown token negative":       {`"unk_id": 2`, `"unk_id": -1`},
		"unknown is the first token":   {`"unk_id": 2`, `"unk_id": 0`},
		"piece without a score":        {`["b", -2]`, `["b"]`},
		"piece with a word for it":     {`["b", -2]`, `["b", "x"]`},
		"absurd score":                 {`["b", -2]`, `["b", -1e300]`},
		"empty piece":                  {`["b", -2]`, `["", -2]`},
		"piece with a line break":      {`["b", -2]`, `["\n", -2]`},
		"equal pieces":                 {`["b", -2]`, `["▁a", -2]`},
		"long piece":                   {`["b", -2]`, `["` + strings.Repeat("b", 256) + `", -2]`},
		"no vocabulary":                {`[["<s>", 0], ["</s>", 0], ["<unk>", 0], ["▁a", -1.5], ["b", -2]]`, `[]`},
		"words in the vocabulary":      {`"<x>", "special": true`, `"<x>", "special": false`},
		"another normalizer":           {`"Strip"`, `"Lowercase"`},
		"another order":                {`"Precompiled"`, `"Replace"`},
		"another replacement":          {`" {2,}"`, `"a"`},
		"damaged charsmap":             {`charsmap": ""`, `charsmap": "AAAA"`},
		"charsmap not in base64":       {`charsmap": ""`, `charsmap": "?"`},
		"another pre-tokenizer":        {`"Metaspace"`, `"ByteLevel"`},
		"no space before words":        {`"always"`, `"never"`},
		"no split":                     {`"split": true`, `"split": false`},
		"another space":                {`"replacement": "▁"`, `"replacement": "_"`},
		"two tokens before the text":   {`[{"SpecialToken": {"id": "<s>"}},`, `[{"SpecialToken": {"id": "<s>"}}, {"SpecialToken": {"id": "<s>"}},`},
		"template without IDs":         {`{"ids": [1]}`, `{"ids": []}`},
		"template out of range":        {`{"ids": [1]}`, `{"ids": [7]}`},
		"no template":                  {`"TemplateProcessing"`, `"ByteLevel"`},
	} {
		changed := strings.Replace(smallTokenizer, change[0], change[1], 1)
		if changed == smallTokenizer {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, _, err := readTokenizer([]byte(changed)); !errors.Is(err, errTokenizer) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

const smallWordPiece = `{
	"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
	"pre_tokenizer": {"type": "BertPreTokenizer"},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
		"vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4}}
}`

func TestWordPieceMatchesUncasedBERT(t *testing.T) {
	words, config, err := readTokenizer([]byte(smallWordPiece))
	if err != nil || config != nil || !slices.Equal(words, []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a"}) {
		t.Errorf("words %q, config %v, error %v", words, config, err)
	}
	for name, change := range map[string][2]string{
		"cased":                {`"lowercase": true`, `"lowercase": false`},
		"accents":              {`"strip_accents": null`, `"strip_accents": false`},
		"another prefix":       {`"##"`, `"@@"`},
		"another unknown":      {`"[UNK]", "c`, `"<unk>", "c`},
		"IDs with a gap":       {`"a": 4`, `"a": 5`},
		"an ID twice":          {`"a": 4`, `"a": 3`},
		"negative ID":          {`"a": 4`, `"a": -1`},
		"pieces with scores":   {`{"[PAD]": 0`, `[{"[PAD]": 0`},
		"another split":        {`"BertPreTokenizer"`, `"Whitespace"`},
		"another longest word": {`100`, `200`},
	} {
		changed := strings.Replace(smallWordPiece, change[0], change[1], 1)
		if _, _, err := readTokenizer([]byte(changed)); !errors.Is(err, errTokenizer) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func packModel(p packtest.Parameters) ([]byte, error) {
	model := p.Safetensors()
	return Safetensors(bytes.NewReader(model), int64(len(model)), []byte(smallTokenizer), 8)
}

// If one of these models were accepted, its vectors would be meaningless.
func TestOtherModelsAreRefused(t *testing.T) {
	model := packtest.Random(5)
	if _, err := packModel(model); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(packtest.Parameters){
		"XLM-RoBERTa's positions": func(p packtest.Parameters) {
			p["embeddings.position_embeddings.weight"] = &packtest.Parameter{Type: "F32", Dims: []int{514, width}, Values: make([]float32, 514*width)}
		},
		"one type of tokens": func(p packtest.Parameters) {
			p["embeddings.token_type_embeddings.weight"] = &packtest.Parameter{Type: "F32", Dims: []int{1, width}, Values: make([]float32, width)}
		},
		"fewer rows than tokens": func(p packtest.Parameters) {
			p[wordEmbeddings] = &packtest.Parameter{Type: "F32", Dims: []int{4, width}, Values: make([]float32, 4*width)}
		},
		"another width": func(p packtest.Parameters) {
			p[wordEmbeddings] = &packtest.Parameter{Type: "F32", Dims: []int{5, 768}, Values: make([]float32, 5*768)}
		},
		"another inner width": func(p packtest.Parameters) {
			p["encoder.layer.1.intermediate.dense.weight"] = &packtest.Parameter{Type: "F32", Dims: []int{768, width}, Values: make([]float32, 768*width)}
		},
		"no layers": func(p packtest.Parameters) {
			maps.DeleteFunc(p, func(name string, _ *packtest.Parameter) bool { return strings.HasPrefix(name, "encoder.") })
		},
		"a value that is no number": func(p packtest.Parameters) {
			p["encoder.layer.0.output.dense.bias"] = &packtest.Parameter{Type: "F32", Dims: []int{width}, Values: slices.Repeat([]float32{float32(math.NaN())}, width)}
		},
		"an infinite word": func(p packtest.Parameters) {
			p[wordEmbeddings] = &packtest.Parameter{Type: "F32", Dims: []int{5, width}, Values: slices.Repeat([]float32{float32(math.Inf(1))}, 5*width)}
		},
		"a missing bias": func(p packtest.Parameters) { delete(p, "encoder.layer.1.attention.self.key.bias") },
		"no words":       func(p packtest.Parameters) { delete(p, wordEmbeddings) },
		"integers":       func(p packtest.Parameters) { p["embeddings.LayerNorm.bias"].Type = "I32" },
	} {
		changed := maps.Clone(model)
		bias := *model["embeddings.LayerNorm.bias"]
		changed["embeddings.LayerNorm.bias"] = &bias
		change(changed)
		if _, err := packModel(changed); !errors.Is(err, ErrArchitecture) && !errors.Is(err, errSafetensors) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestDamagedSafetensorsAreRefused(t *testing.T) {
	file := func(header string, values int) []byte {
		return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, values)...)
	}
	for name, b := range map[string][]byte{
		"nothing":               nil,
		"half a length":         {1, 0, 0},
		"length beyond the end": {255, 0, 0, 0, 0, 0, 0, 0, '{'},
		"absurd length":         bytes.Repeat([]byte{255}, 64),
		"not JSON":              file("{", 0),
		"a list":                file("[]", 0),
		"values beyond the end": file(`{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}`, 4),
		"negative offset":       file(`{"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}`, 8),
		"offsets reversed":      file(`{"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}`, 8),
		"another shape":         file(`{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}`, 8),
		"shape that overflows":  file(`{"a": {"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 8]}}`, 8),
		"negative shape":        file(`{"a": {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]}}`, 8),
		"words for numbers":     file(`{"a": {"dtype": "F32", "shape": ["x"], "data_offsets": [0, 8]}}`, 8),
	} {
		if _, err := newSafetensors(bytes.NewReader(b), int64(len(b))); !errors.Is(err, errSafetensors) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	whole := packtest.Random(5).Safetensors()
	cut := whole[:len(whole)-1]
	if _, err := Safetensors(bytes.NewReader(cut), int64(len(cut)), []byte(smallTokenizer), 8); !errors.Is(err, errSafetensors) {
		t.Errorf("cut off: error %v", err)
	}
}

// The same parameters give the same weights from both formats.
func TestONNXAndSafetensorsGiveTheSameWeights(t *testing.T) {
	p := packtest.Random(5)
	a, err := packModel(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ONNX(p.ONNX(), []byte(smallTokenizer), 8)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a[weightfile.HeaderSize:], b[weightfile.HeaderSize:]) {
		t.Error("the weights differ")
	}
	if _, err := ONNX([]byte("not a model"), []byte(smallTokenizer), 8); err == nil {
		t.Error("a file that is no ONNX model was packed")
	}
	named := maps.Clone(p)
	for name, t := range p {
		delete(named, name)
		named["bert."+name] = t
	}
	if c, err := packModel(named); err != nil || !bytes.Equal(a[weightfile.HeaderSize:], c[weightfile.HeaderSize:]) {
		t.Errorf("an encoder within a larger model: error %v", err)
	}
}

func FuzzReadTokenizer(f *testing.F) {
	f.Add([]byte(smallTokenizer))
	f.Add([]byte(smallWordPiece))
	f.Add([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",0]]},"post_processor":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		pieces, config, err := readTokenizer(b)
		if err != nil || config == nil {
			return
		}
		again, err := unigram.Unmarshal(config.Marshal(), pieces)
		if err != nil {
			t.Fatal(err)
		}
		tokenizer, err := unigram.New(again)
		if err != nil {
			t.Fatal(err)
		}
		tokenizer.Tokens("a b é \u0301 日本語", 100)
	})
}

func FuzzSafetensors(f *testing.F) {
	header, err := json.Marshal(map[string]any{wordEmbeddings: map[string]any{"dtype": "F16", "shape": []int{1, 2}, "data_offsets": []int{0, 4}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := newSafetensors(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for name, e := range s.entries {
			if e.width() == 0 || !strings.HasPrefix(name, s.prefix) {
				continue
			}
			name = strings.TrimPrefix(name, s.prefix)
			dims, err := s.dims(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := read(s, name, dims...); err != nil && !errors.Is(err, ErrArchitecture) {
				t.Fatal(err)
			}
		}
	})
}
