package payment

import (
	"encoding/json"
	"math/big"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mneme/meter"
)

// The protocols in which a payment may be sent: the values of meter.Payment.Wire.
const (
	WireX402   = "x402"
	WireX402V1 = "x402-v1"
	WireMPP    = "mpp"
)

// payloadV2 is a payment of x402 version 2 as the client sends it.
type payloadV2 struct {
	Version    *int            `json:"x402Version"`
	Payload    json.RawMessage `json:"payload"`
	Accepted   json.RawMessage `json:"accepted"`
	Extensions struct {
		Identifier *struct {
			Info struct {
				ID *string `json:"id"`
			} `json:"info"`
		} `json:"payment-identifier"`
	} `json:"extensions"`
}

// payloadV1 is a payment of x402 version 1 as the client sends it.
type payloadV1 struct {
	Version *int            `json:"x402Version"`
	Scheme  string          `json:"scheme"`
	Network string          `json:"network"`
	Payload json.RawMessage `json:"payload"`
}

// Read returns the payment in a request's headers; nil if there is none. It returns a
// MalformedError if there is more than one payment, or one cannot be read.
func Read(h http.Header, r meter.Resource) (*meter.Payment, error) {
	var found *meter.Payment
	for _, wire := range []struct {
		header string
		read   func(http.Header, string) (*meter.Payment, error)
	}{
		{headerSignature, readV2}, {headerPaymentV1, readV1}, {headerAuthorization, readMPP}, {headerPaymentMPP, readMPP},
	} {
		p, err := wire.read(h, wire.header)
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if found != nil {
			return nil, &MalformedError{wire.header, "a request takes one payment"}
		}
		found = p
		found.Resource = r
	}
	return found, nil
}

func readV2(h http.Header, header string) (*meter.Payment, error) {
	value, err := one(h, header)
	if value == "" || err != nil {
		return nil, err
	}
	text, err := decode(header, value)
	if err != nil {
		return nil, err
	}
	return ParseV2(header, text)
}

// ParseV2 parses a payment of x402 version 2. source is the name of the header or field that it
// is from, for errors.
func ParseV2(source string, text json.RawMessage) (*meter.Payment, error) {
	text, err := object(source, text)
	if err != nil {
		return nil, err
	}
	var in payloadV2
	if json.Unmarshal(text, &in) != nil || in.Version == nil || *in.Version != 2 {
		return nil, &MalformedError{source, "must be a payment of x402Version 2"}
	}
	var accepted requirement
	if len(in.Accepted) == 0 || json.Unmarshal(in.Accepted, &accepted) != nil {
		return nil, &MalformedError{source, "accepted must be one of the offered payments"}
	}
	p := &meter.Payment{Wire: WireX402, Scheme: accepted.Scheme, Network: accepted.Network, Payload: text}
	if id := in.Extensions.Identifier; id != nil && id.Info.ID != nil {
		if p.Identifier = *id.Info.ID; !identifier.MatchString(p.Identifier) {
			return nil, &MalformedError{source, "the payment identifier must have 16 to 128 letters, digits, - or _"}
		}
	}
	nonce, _ := accepted.Extra["nonce"].(string)
	return p, identify(p, source, in.Payload, nonce)
}

var identifier = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

func readV1(h http.Header, header string) (*meter.Payment, error) {
	value, err := one(h, header)
	if value == "" || err != nil {
		return nil, err
	}
	text, err := decode(header, value)
	if err != nil {
		return nil, err
	}
	var in payloadV1
	if json.Unmarshal(text, &in) != nil || in.Version == nil || *in.Version != 1 {
		return nil, &MalformedError{header, "must be a payment of x402Version 1"}
	}
	p := &meter.Payment{Wire: WireX402V1, Scheme: in.Scheme, Network: caip2(in.Network), Payload: text}
	return p, identify(p, header, in.Payload, "")
}

// authorization has the fields of a signed payment on an EVM network that identify it.
type authorization struct {
	From        string `json:"from"`
	Nonce       string `json:"nonce"`
	ValidBefore string `json:"validBefore"` // EIP-3009: when it expires, in seconds since 1970
	Deadline    string `json:"deadline"`    // Permit2: the same
}

// maxExpiry bounds how long a payment is remembered so that it is used only once: the payer
// chooses when its payment expires, however late.
const maxExpiry = 366 * 24 * time.Hour

// expires returns when a payment can no longer be settled.
func (a authorization) expires(now time.Time) time.Time {
	seconds, err := strconv.ParseInt(a.ValidBefore+a.Deadline, 10, 64)
	if err != nil || seconds < 0 || seconds > now.Add(maxExpiry).Unix() {
		return now.Add(maxExpiry)
	}
	return time.Unix(seconds, 0).UTC()
}

var (
	evmAddress = regexp.MustCompile(`^0x[0-9a-f]{40}$`)
	evmNonce   = regexp.MustCompile(`^0x[0-9a-f]{64}$`)
	decimal    = regexp.MustCompile(`^[0-9]{1,78}$`)
	hexNumber  = regexp.MustCompile(`^0x[0-9a-f]{1,64}$`)
)

// identify sets the payer and the nonce of a payment, which identify it. It normalises them, so
// that a payment that is written in two ways, such as in upper and lower case, counts as one.
// nonce is the nonce in the requirement of a payment in credits; "": it is in the payload.
func identify(p *meter.Payment, source string, payload json.RawMessage, nonce string) error {
	malformed := &MalformedError{source, "the payload is none of the offered schemes"}
	if p.Scheme == schemeCredits {
		var in struct {
			Token string `json:"token"`
			Nonce string `json:"nonce"` // version 1 has no other field for it
		}
		if p.Network != creditsNetwork || json.Unmarshal(payload, &in) != nil || in.Token == "" {
			return malformed
		}
		if nonce == "" {
			nonce = in.Nonce
		}
		if !creditsNonce.MatchString(nonce) {
			return malformed
		}
		// The nonce alone identifies the payment: this service created it for one call.
		p.Payer, p.Nonce = creditsPayer, nonce
		return nil
	}
	var in struct {
		Authorization *authorization `json:"authorization"`
		Permit2       *authorization `json:"permit2Authorization"`
	}
	if p.Scheme != SchemeExact && p.Scheme != SchemeUpto {
		return malformed
	}
	if !strings.HasPrefix(p.Network, "eip155:") || json.Unmarshal(payload, &in) != nil || (in.Authorization == nil) == (in.Permit2 == nil) {
		return malformed
	}
	a := in.Authorization
	if in.Permit2 != nil {
		a = in.Permit2
	}
	p.Payer, p.Nonce, p.Expires = strings.ToLower(a.From), strings.ToLower(a.Nonce), a.expires(time.Now())
	switch {
	case !evmAddress.MatchString(p.Payer):
		return malformed
	case in.Authorization != nil && evmNonce.MatchString(p.Nonce): // EIP-3009: 32 bytes
		return nil
	case in.Permit2 != nil: // Permit2: a number
		if n, ok := number(p.Nonce); ok {
			p.Nonce = n.String()
			return nil
		}
	}
	return malformed
}

// number parses an unsigned number, decimal or hexadecimal, of at most 78 or 64 digits (256
// bits).
func number(text string) (n *big.Int, ok bool) {
	text = strings.ToLower(text)
	switch {
	case decimal.MatchString(text):
		return new(big.Int).SetString(text, 10)
	case hexNumber.MatchString(text):
		return new(big.Int).SetString(text, 0)
	}
	return nil, false
}
