package payment

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mneme/meter"
)

func header64(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) }

const (
	exactPayload = `{"signature":"0x","authorization":{"from":"0xAbCdefabcdefabcdefabcdefabcdefabcdefabcd","nonce":"0xAB00000000000000000000000000000000000000000000000000000000000001"}}`
	exactV2      = `{"x402Version":2,"accepted":{"scheme":"exact","network":"eip155:84532"},"payload":` + exactPayload + `}`
	exactV1      = `{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":` + exactPayload + `}`
	credit       = "00000000-0000-4000-8000-000000000000.1767225600.00000000000000000000000000000000"
	creditsV2    = `{"x402Version":2,"accepted":{"scheme":"robutler-credits","network":"robutler:1","extra":{"nonce":"` + credit + `"}},"payload":{"token":"t"}}`
	creditsV1    = `{"x402Version":1,"scheme":"robutler-credits","network":"robutler:1","payload":{"token":"t","nonce":"` + credit + `"}}`
)

func TestAPaymentIsTheSameInBothVersionsAndAnySpelling(t *testing.T) {
	lower := strings.ReplaceAll(strings.ReplaceAll(exactV2, "AbCdef", "abcdef"), "0xAB", "0xab")
	for _, same := range [][]http.Header{{
		{"Payment-Signature": {header64(exactV2)}},
		{"Payment-Signature": {header64(lower)}},
		{"Payment-Signature": {strings.TrimRight(header64(lower), "=")}},
		{"X-Payment": {header64(exactV1)}},
	}, {
		{"Payment-Signature": {header64(creditsV2)}},
		{"X-Payment": {header64(creditsV1)}},
	}} {
		var first string
		for _, h := range same {
			p, err := Read(h, meter.Resource{})
			if err != nil {
				t.Fatal(err)
			}
			identity := fmt.Sprint(p.Scheme, p.Network, p.Payer, p.Nonce)
			if first == "" {
				first = identity
			}
			if identity != first {
				t.Errorf("%s is not %s", identity, first)
			}
		}
	}
}

func TestANonceOfPermit2IsANumber(t *testing.T) {
	read := func(nonce string) string {
		t.Helper()
		text := `{"x402Version":2,"accepted":{"scheme":"upto","network":"eip155:84532"},"payload":{"permit2Authorization":{"from":"0xabcdefabcdefabcdefabcdefabcdefabcdefabcd","nonce":"` + nonce + `"}}}`
		p, err := Read(http.Header{"Payment-Signature": {header64(text)}}, meter.Resource{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Nonce
	}
	for _, same := range []string{"255", "0255", "0xff", "0x0ff"} {
		if got := read(same); got != "255" {
			t.Errorf("%s is %s, not 255", same, got)
		}
	}
}

func TestTwoPaymentsAndMalformedOnesAreRefused(t *testing.T) {
	for name, h := range map[string]http.Header{
		"two headers":      {"Payment-Signature": {header64(exactV2)}, "X-Payment": {header64(exactV1)}},
		"repeated":         {"Payment-Signature": {header64(exactV2), header64(exactV2)}},
		"empty":            {"Payment-Signature": {""}},
		"not base64":       {"Payment-Signature": {"{}"}},
		"not an object":    {"Payment-Signature": {header64("[]")}},
		"two objects":      {"Payment-Signature": {header64(exactV2 + exactV2)}},
		"no version":       {"Payment-Signature": {header64(strings.Replace(exactV2, `"x402Version":2,`, "", 1))}},
		"other version":    {"Payment-Signature": {header64(exactV1)}},
		"version 2 in v1":  {"X-Payment": {header64(exactV2)}},
		"a name twice":     {"Payment-Signature": {header64(strings.Replace(exactV2, `"accepted"`, `"payload":{},"accepted"`, 1))}},
		"in another case":  {"Payment-Signature": {header64(strings.Replace(exactV2, `"accepted"`, `"Payload":{},"accepted"`, 1))}},
		"no nonce":         {"Payment-Signature": {header64(strings.Replace(exactV2, "nonce", "once", 1))}},
		"no scheme":        {"X-Payment": {header64(strings.Replace(exactV1, `"scheme"`, `"skim"`, 1))}},
		"another scheme":   {"Payment-Signature": {header64(strings.Replace(exactV2, `"exact"`, `"exacts"`, 1))}},
		"credits nowhere":  {"Payment-Signature": {header64(strings.Replace(creditsV2, `"network":"robutler:1",`, "", 1))}},
		"a padded expiry":  {"Payment-Signature": {header64(strings.Replace(creditsV2, ".1767", ".01767", 1))}},
		"padded in v1":     {"X-Payment": {header64(strings.Replace(creditsV1, ".1767", ".001767", 1))}},
		"MAC in capitals":  {"Payment-Signature": {header64(strings.Replace(creditsV2, ".00000000000000000000000000000000", ".A0000000000000000000000000000000", 1))}},
		"another network":  {"Payment-Signature": {header64(strings.Replace(exactV2, "eip155:84532", "solana:x", 1))}},
		"too long":         {"Payment-Signature": {strings.Repeat("A", maxHeader+1)}},
		"identifier":       {"Payment-Signature": {header64(strings.Replace(exactV2, `"x402Version":2`, `"x402Version":2,"extensions":{"payment-identifier":{"info":{"id":"short"}}}`, 1))}},
		"mpp":              {"Authorization": {"Payment {}"}},
		"mpp empty":        {"Payment-Authorization": {"Payment"}},
		"mpp other scheme": {"Payment-Authorization": {"Bearer x"}},
		"mpp method":       {"Authorization": {"Payment " + base64.RawURLEncoding.EncodeToString([]byte(`{"challenge":{"id":"a","method":"tempo"},"payload":{}}`))}},
	} {
		p, err := Read(h, meter.Resource{})
		var malformed *MalformedError
		if !errors.As(err, &malformed) {
			t.Errorf("%s: read %v, %v", name, p, err)
		}
	}
	if p, err := Read(http.Header{"Authorization": {"Bearer token"}}, meter.Resource{}); p != nil || err != nil {
		t.Errorf("a bearer token is read as a payment: %v, %v", p, err)
	}
}

func FuzzReadX402(f *testing.F) {
	f.Add(exactV2)
	f.Add(exactV1)
	f.Add(creditsV2)
	f.Add(creditsV1)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{headerSignature, headerPaymentV1} {
			checkRead(t, http.Header{name: {header64(text)}}, text)
			checkRead(t, http.Header{name: {text}}, text)
		}
	})
}

func FuzzReadMPP(f *testing.F) {
	f.Add(`{"challenge":{"id":"a","method":"stripe","request":"e30"},"payload":{"spt":"spt_1"}}`)
	f.Add(`{"challenge":{"id":"a","method":"robutler","request":"e30"},"payload":{"token":"x"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		value := "Payment " + base64.RawURLEncoding.EncodeToString([]byte(text))
		checkRead(t, http.Header{headerPaymentMPP: {value}}, text)
		checkRead(t, http.Header{headerAuthorization: {value}}, text)
	})
}

// checkRead reads headers. A payment must have all fields that identify it, and an error must
// not quote the header.
func checkRead(t *testing.T, h http.Header, text string) {
	t.Helper()
	p, err := Read(h, meter.Resource{})
	var malformed *MalformedError
	switch {
	case err != nil && !errors.As(err, &malformed):
		t.Fatalf("the error is %T", err)
	case err != nil && len(text) > 24 && strings.Contains(err.Error(), text):
		t.Fatal("the error holds the value")
	case p != nil && (p.Scheme == "" || p.Network == "" || p.Payer == "" || p.Nonce == "" || !json.Valid(p.Payload)):
		t.Fatalf("the payment lacks what identifies it: %+v", p)
	}
}
