package payment

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// The headers of x402.
const (
	headerRequired   = "Payment-Required"   // of a 402, version 2
	headerSignature  = "Payment-Signature"  // a payment, version 2
	headerResponse   = "Payment-Response"   // its settlement
	headerPaymentV1  = "X-Payment"          // a payment, version 1
	headerResponseV1 = "X-Payment-Response" // its settlement
)

// maxHeader bounds a header with a payment, in bytes.
const maxHeader = 16 << 10

// MalformedError reports that a header contains a payment that cannot be read. Reason never
// quotes the header's value.
type MalformedError struct {
	Header string
	Reason string
}

func (e *MalformedError) Error() string { return e.Header + ": " + e.Reason }

// one returns the value of a header that may be sent only once; "" if it is missing.
func one(h http.Header, name string) (string, error) {
	values := h.Values(name)
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", &MalformedError{name, "must not be repeated"}
	case len(values[0]) > maxHeader:
		return "", &MalformedError{name, fmt.Sprintf("must have at most %d bytes", maxHeader)}
	case strings.TrimSpace(values[0]) == "":
		return "", &MalformedError{name, "must not be empty"}
	}
	return strings.TrimSpace(values[0]), nil
}

// encode returns the value of an x402 header: v as JSON, in padded base64.
func encode(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(text), nil
}

// decode decodes the value of a header: a JSON object in base64, padded or not.
func decode(header, value string) (json.RawMessage, error) {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return nil, &MalformedError{header, "must be base64"}
	}
	return object(header, text)
}

// object returns a JSON object without insignificant white space. It rejects an object that
// repeats a name, because JSON parsers differ in which of the values they use.
func object(header string, text []byte) (json.RawMessage, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, &MalformedError{header, "must hold a JSON object"}
	}
	if err := checkNames(text); err != nil {
		return nil, &MalformedError{header, err.Error()}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, &MalformedError{header, "must hold a JSON object"}
	}
	return compact.Bytes(), nil
}

// checkNames returns an error if an object in the JSON text repeats a name, or if the text is
// nested more than 32 levels deep.
func checkNames(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	type frame struct {
		names map[string]bool // nil: an array
		name  bool            // the next token is a name
	}
	var open []frame
	for {
		token, err := dec.Token()
		if err == io.EOF {
			if len(open) > 0 {
				break
			}
			return nil
		}
		if err != nil {
			break
		}
		top := len(open) - 1
		if name, ok := token.(string); ok && top >= 0 && open[top].name {
			// encoding/json matches names to fields without regard to case.
			folded := strings.ToLower(name)
			if open[top].names[folded] {
				return fmt.Errorf("must not repeat a name")
			}
			open[top].names[folded], open[top].name = true, false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, frame{names: map[string]bool{}, name: true})
		case json.Delim('['):
			open = append(open, frame{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
			top--
		}
		if len(open) > 32 {
			return fmt.Errorf("must not be nested more than 32 deep")
		}
		if token != json.Delim('{') && token != json.Delim('[') && top >= 0 && open[top].names != nil {
			open[top].name = true
		}
	}
	return fmt.Errorf("must hold a JSON object")
}
