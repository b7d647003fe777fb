package payment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mneme/meter"
)

// The headers of MPP.
const (
	headerAuthorization = "Authorization"         // Payment CREDENTIAL
	headerPaymentMPP    = "Payment-Authorization" // the same, beside a bearer token
	headerReceipt       = "Payment-Receipt"
	headerChallenge     = "Www-Authenticate"
)

// The methods of MPP.
const (
	methodRobutler = "robutler" // credits
	methodStripe   = "stripe"   // a shared payment token

	schemeStripe = "mpp-stripe"
	stripePayer  = "stripe"
	intentCharge = "charge"
	// challengeTTL is how long a challenge can be paid after it was created.
	challengeTTL = 5 * time.Minute
)

// challenge is what an answer with status 402 asks for in MPP. The client repeats it in its
// credential.
type challenge struct {
	ID      string `json:"id"` // HMAC of the other fields
	Realm   string `json:"realm"`
	Method  string `json:"method"`
	Intent  string `json:"intent"`
	Request string `json:"request"` // base64url of JSON
	Expires string `json:"expires,omitempty"`
	Digest  string `json:"digest,omitempty"`
	Header  string `json:"header,omitempty"` // for the credential, if Authorization has a token
	Opaque  string `json:"opaque,omitempty"`
}

// charge is the request in a challenge: the amount to pay. Its members are in the order of RFC
// 8785.
type charge struct {
	Amount   string         `json:"amount"`
	Currency string         `json:"currency"`
	Details  map[string]any `json:"methodDetails"`
}

// credential is the payment of a challenge by a client.
type credential struct {
	Challenge challenge       `json:"challenge"`
	Source    string          `json:"source"`
	Payload   json.RawMessage `json:"payload"`
}

// mpp accepts payments by MPP.
type mpp struct {
	realm  string
	secret []byte
	now    func() time.Time
	stripe *stripe // nil: none
}

// mint creates a challenge for a call. It contains a digest of the call (bindingOf).
func (m *mpp) mint(method string, request charge, of meter.Resource) challenge {
	text, _ := json.Marshal(request) // strings and numbers always marshal
	opaque, _ := json.Marshal(map[string]string{"resource": of.URL})
	c := challenge{
		Realm: m.realm, Method: method, Intent: intentCharge, Request: base64.RawURLEncoding.EncodeToString(text),
		Expires: m.now().Add(challengeTTL).UTC().Format(time.RFC3339), Digest: bindingOf(of), Header: headerPaymentMPP, Opaque: base64.RawURLEncoding.EncodeToString(opaque),
	}
	c.ID = m.id(c)
	return c
}

// bindingOf returns a digest of a call, in the form of the header Content-Digest. It binds a
// challenge to this call.
func bindingOf(of meter.Resource) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{of.Method, of.Path, of.Query, of.Body}, "|")))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

func (m *mpp) id(c challenge) string {
	h := hmac.New(sha256.New, m.secret)
	h.Write([]byte(strings.Join([]string{c.Realm, c.Method, c.Intent, c.Request, c.Expires, c.Digest, c.Header, c.Opaque}, "|")))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (c challenge) header() string {
	var b strings.Builder
	b.WriteString("Payment ")
	for i, p := range [][2]string{
		{"id", c.ID}, {"realm", c.Realm}, {"method", c.Method}, {"intent", c.Intent}, {"expires", c.Expires},
		{"request", c.Request}, {"digest", c.Digest}, {"header", c.Header}, {"opaque", c.Opaque},
	} {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `%s="%s"`, p[0], strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p[1]))
	}
	return b.String()
}

// readMPP reads the credential in a header; nil if there is none. An Authorization header with
// another scheme, such as Bearer, has none.
func readMPP(h http.Header, header string) (*meter.Payment, error) {
	var found []string
	for _, value := range h.Values(header) {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
		if strings.EqualFold(scheme, "Payment") {
			found = append(found, strings.TrimSpace(rest))
		} else if header == headerPaymentMPP {
			return nil, &MalformedError{header, "must be Payment and a credential"}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	value, err := one(http.Header{header: found}, header)
	if err != nil {
		return nil, err
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return nil, &MalformedError{header, "the credential must be base64url"}
	}
	if text, err = object(header, text); err != nil {
		return nil, err
	}
	var in credential
	if json.Unmarshal(text, &in) != nil || in.Challenge.ID == "" || len(in.Payload) == 0 || in.Payload[0] != '{' {
		return nil, &MalformedError{header, "the credential must have challenge and payload"}
	}
	p := &meter.Payment{Wire: WireMPP, Payload: text}
	switch in.Challenge.Method {
	case methodRobutler:
		request, ok := in.Challenge.charge()
		nonce, _ := request.Details["nonce"].(string)
		if !ok {
			return nil, &MalformedError{header, "the challenge must be one of ours"}
		}
		// The same nonce identifies the payment by x402, too, so it cannot pay twice.
		p.Scheme, p.Network = schemeCredits, creditsNetwork
		return p, identify(p, header, in.Payload, nonce)
	case methodStripe:
		p.Scheme, p.Network, p.Payer, p.Nonce = schemeStripe, methodStripe, stripePayer, in.Challenge.ID
		if !sharedToken.MatchString(stripeToken(*p)) {
			return nil, &MalformedError{header, "the payload must have a shared payment token"}
		}
		return p, nil
	}
	return nil, &MalformedError{header, "the method is not one of ours"}
}

// charge decodes the request of a challenge.
func (c challenge) charge() (request charge, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(c.Request)
	return request, err == nil && json.Unmarshal(text, &request) == nil
}

// check returns a PaymentRefusal if this service did not create the challenge, or if the
// challenge is for another call or has expired.
func (m *mpp) check(p *meter.Payment) (charge, error) {
	var in credential
	_ = json.Unmarshal(p.Payload, &in) // readMPP read it
	c := in.Challenge
	expires, err := time.Parse(time.RFC3339, c.Expires)
	request, ok := c.charge()
	switch {
	case err != nil || !ok || c.Realm != m.realm || c.Intent != intentCharge || c.Digest != bindingOf(p.Resource) || !hmac.Equal([]byte(m.id(c)), []byte(c.ID)):
		return charge{}, &meter.PaymentRefusal{Reason: "invalid_challenge"}
	case m.now().After(expires):
		return charge{}, &meter.PaymentRefusal{Reason: "payment_expired"}
	}
	return request, nil
}
