package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mneme/embed/e5/unigram"
)

// tokenizerFile has the fields of a tokenizer.json, the format of Hugging Face's tokenizers,
// that pack reads.
type tokenizerFile struct {
	AddedTokens []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer    *component `json:"normalizer"`
	PreTokenizer  *component `json:"pre_tokenizer"`
	PostProcessor *component `json:"post_processor"`
	Model         struct {
		Type         string          `json:"type"`
		Vocab        json.RawMessage `json:"vocab"`
		UnkID        *int            `json:"unk_id"`        // Unigram
		ByteFallback bool            `json:"byte_fallback"` // Unigram
		UnkToken     string          `json:"unk_token"`     // WordPiece, like the following fields
		Prefix       string          `json:"continuing_subword_prefix"`
		MaxWordChars int             `json:"max_input_chars_per_word"`
	} `json:"model"`
}

// component is a step of a tokenizer, such as a normalizer. It has the fields that pack reads
// of all types of steps.
type component struct {
	Type string `json:"type"`

	Normalizers   []component `json:"normalizers"`   // Sequence
	PreTokenizers []component `json:"pretokenizers"` // Sequence

	Charsmap []byte `json:"precompiled_charsmap"` // Precompiled

	Pattern struct { // Replace
		Regex string `json:"Regex"`
	} `json:"pattern"`
	Content string `json:"content"`

	StripLeft  bool `json:"strip_left"` // Strip
	StripRight bool `json:"strip_right"`

	Replacement    string  `json:"replacement"` // Metaspace
	PrependScheme  *string `json:"prepend_scheme"`
	AddPrefixSpace *bool   `json:"add_prefix_space"`
	Split          *bool   `json:"split"`

	CleanText     *bool `json:"clean_text"` // BertNormalizer
	ChineseChars  *bool `json:"handle_chinese_chars"`
	StripAccents  *bool `json:"strip_accents"`
	Lowercase     *bool `json:"lowercase"`
	SpecialTokens map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"` // TemplateProcessing
	Single []struct {
		SpecialToken *struct {
			ID string `json:"id"`
		} `json:"SpecialToken"`
		Sequence *struct{} `json:"Sequence"`
	} `json:"single"`
}

// errTokenizer is wrapped by the errors of tokenizers that are not supported.
var errTokenizer = errors.New("tokenizer.json is not supported")

func refuse(format string, a ...any) error {
	return fmt.Errorf("%w: %s", errTokenizer, fmt.Sprintf(format, a...))
}

// readTokenizer returns the tokens in the order of their IDs. For a unigram tokenizer it also
// returns the Config; for WordPiece that is nil.
func readTokenizer(file []byte) ([]string, *unigram.Config, error) {
	var t tokenizerFile
	if err := json.Unmarshal(file, &t); err != nil {
		return nil, nil, refuse("%v", err)
	}
	switch t.Model.Type {
	case "Unigram":
		c, err := t.unigram()
		if err != nil {
			return nil, nil, err
		}
		return c.Pieces, &c, nil
	case "WordPiece", "": // older files omit it
		words, err := t.wordPiece()
		return words, nil, err
	default:
		return nil, nil, refuse("its model is %q; Unigram and WordPiece are", t.Model.Type)
	}
}

func (t *tokenizerFile) unigram() (unigram.Config, error) {
	var c unigram.Config
	var vocabulary []scoredPiece
	if err := json.Unmarshal(t.Model.Vocab, &vocabulary); err != nil {
		return c, refuse("its vocabulary: %v", err)
	}
	least := 0.0
	for _, p := range vocabulary {
		if strings.Contains(p.text, "\n") {
			return c, refuse("a piece has a line break")
		}
		c.Pieces, c.Scores = append(c.Pieces, p.text), append(c.Scores, p.score)
		least = min(least, p.score)
	}
	c.UnknownScore = least - unigram.UnknownPenalty
	if t.Model.UnkID == nil || t.Model.ByteFallback {
		return c, refuse("it has no unknown token, or bytes in its place")
	}
	c.Unknown = int32(*t.Model.UnkID)
	for _, added := range t.AddedTokens {
		if !added.Special {
			return c, refuse("its added token %d is not a special one", added.ID)
		}
		// Special tokens do not occur in text. Those with IDs beyond the vocabulary are not
		// used by this package.
		if id := added.ID; id >= 0 && id < len(c.Pieces) {
			c.Scores[id] = math.Inf(-1)
		}
	}
	if c.Unknown >= 0 && int(c.Unknown) < len(c.Scores) {
		c.Scores[c.Unknown] = math.Inf(-1)
	}
	var err error
	if c.Start, c.End, err = t.PostProcessor.ends(); err != nil {
		return c, err
	}
	if err := t.Normalizer.normalize(&c); err != nil {
		return c, err
	}
	if err := t.PreTokenizer.pretokenize(&c); err != nil {
		return c, err
	}
	if _, err := unigram.New(c); err != nil {
		return c, refuse("%v", err)
	}
	return c, nil
}

// scoredPiece is a piece of a Unigram vocabulary: ["▁the", -3.5].
type scoredPiece struct {
	text  string
	score float64
}

func (p *scoredPiece) UnmarshalJSON(b []byte) error {
	pair := []any{&p.text, &p.score}
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a piece is not a text and a score")
	}
	return nil
}

// ends returns the tokens that a post-processor puts before and after a text.
func (p *component) ends() (start, end int32, err error) {
	if p == nil || p.Type != "TemplateProcessing" || len(p.Single) != 3 ||
		p.Single[0].SpecialToken == nil || p.Single[1].Sequence == nil || p.Single[2].SpecialToken == nil {
		return 0, 0, refuse("its post-processor is not a template of one token before and one after a text")
	}
	var ids [2]int32
	for i, at := range []int{0, 2} {
		token := p.SpecialTokens[p.Single[at].SpecialToken.ID]
		if len(token.IDs) != 1 || token.IDs[0] < 0 || token.IDs[0] >= unigram.MaxPieces {
			return 0, 0, refuse("a token of its template has no single ID")
		}
		ids[i] = int32(token.IDs[0])
	}
	return ids[0], ids[1], nil
}

// normalize applies a normalizer to c. It supports the steps Precompiled, Strip, and Replace of
// several spaces by one, in this order. This is how the converters of SentencePiece models
// write them.
func (p *component) normalize(c *unigram.Config) error {
	if p == nil {
		return nil
	}
	steps := []component{*p}
	if p.Type == "Sequence" {
		steps = p.Normalizers
	}
	order := []string{"Precompiled", "Strip", "Replace"}
	at := 0
	for _, step := range steps {
		next := slices.Index(order[at:], step.Type)
		if next < 0 {
			return refuse("its normalizer has the step %q; Precompiled, Strip and Replace, in this order, are", step.Type)
		}
		at += next + 1
		switch step.Type {
		case "Precompiled":
			c.Charsmap = step.Charsmap
		case "Strip":
			c.Spaces.TrimLeft, c.Spaces.TrimRight = step.StripLeft, step.StripRight
		case "Replace":
			if step.Pattern.Regex != " {2,}" || step.Content != " " && step.Content != "▁" {
				return refuse("its normalizer replaces something else than several spaces by one")
			}
			c.Spaces.Collapse = true
		}
	}
	return nil
}

// pretokenize applies a pre-tokenizer to c: Metaspace, or WhitespaceSplit and Metaspace.
func (p *component) pretokenize(c *unigram.Config) error {
	if p == nil {
		return refuse("it has no pre-tokenizer")
	}
	steps := []component{*p}
	if p.Type == "Sequence" {
		steps = p.PreTokenizers
	}
	if len(steps) == 2 && steps[0].Type == "WhitespaceSplit" {
		c.Spaces.Split, steps = true, steps[1:]
	}
	if len(steps) != 1 || steps[0].Type != "Metaspace" {
		return refuse("its pre-tokenizer is neither Metaspace nor WhitespaceSplit and Metaspace")
	}
	m := steps[0]
	switch {
	case m.Replacement != "▁", m.Split != nil && !*m.Split:
		return refuse("its Metaspace does not split before ▁")
	case m.PrependScheme != nil && *m.PrependScheme == "first" && !c.Spaces.Split:
		// If words are not split at spaces, "first" is the same as "always": only the first
		// word has no space before it.
	case m.PrependScheme != nil && *m.PrependScheme != "always", m.AddPrefixSpace != nil && !*m.AddPrefixSpace:
		return refuse("its Metaspace does not put ▁ before every word")
	}
	return nil
}

// wordPiece returns the vocabulary of an uncased BERT tokenizer.
func (t *tokenizerFile) wordPiece() ([]string, error) {
	is := func(setting *bool, want bool) bool { return setting == nil || *setting == want }
	n, p := t.Normalizer, t.PreTokenizer
	if n == nil || p == nil || n.Type != "BertNormalizer" || p.Type != "BertPreTokenizer" ||
		!is(n.CleanText, true) || !is(n.ChineseChars, true) || !is(n.StripAccents, true) || !is(n.Lowercase, true) {
		return nil, refuse("its normalizer or pre-tokenizer is not that of an uncased BERT")
	}
	if t.Model.UnkToken != "[UNK]" || t.Model.Prefix != "##" || t.Model.MaxWordChars != 100 {
		return nil, refuse("its WordPiece model is not that of an uncased BERT")
	}
	var vocabulary map[string]int
	if err := json.Unmarshal(t.Model.Vocab, &vocabulary); err != nil {
		return nil, refuse("its vocabulary: %v", err)
	}
	words := make([]string, len(vocabulary))
	for word, id := range vocabulary {
		if id < 0 || id >= len(words) || words[id] != "" || word == "" || strings.Contains(word, "\n") {
			return nil, refuse("the token with ID %d does not fit the vocabulary", id)
		}
		words[id] = word
	}
	return words, nil
}
