package token_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/server/token"
)

// SECURITY: a token is accepted in only one encoding, and only with the algorithm of its key,
// even if the holder of the key signed it with another algorithm.
func TestOtherSpellingsOfATokenAreRefused(t *testing.T) {
	key, secret := localKey(t)
	verifier, err := token.NewVerifier(t.Context(), token.Options{Local: key, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	claims := facts{"iss": "mneme", "aud": "mneme", "sub": "alice", "exp": noon.Add(time.Minute).Unix()}
	mac := func(text string) string {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(text))
		return text + "." + b64(h.Sum(nil))
	}
	// Parts of these lengths leave unused bits in their last character of base64.
	header := b64([]byte(`{"alg":"HS256"}` + " "))
	body := b64(fmt.Appendf(nil, `{"iss":"mneme","aud":"mneme","exp":%d,"sub":"alice" }`, noon.Add(time.Minute).Unix()))
	good := mac(header + "." + body)
	bent := func(part string) string { // the same bytes, but for a strict decoder
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		return part[:len(part)-1] + string(alphabet[strings.IndexByte(alphabet, part[len(part)-1])+1])
	}
	for name, part := range map[string]string{"header": header, "body": body, "signature": good[strings.LastIndexByte(good, '.')+1:]} {
		if len(part)%4 == 0 {
			t.Fatalf("the %s has no trailing bits", name)
		}
	}
	for rule, test := range map[string]struct {
		token string
		want  *acl.Principal
	}{
		"the one spelling":                    {good, &acl.Principal{Agent: "alice", Taint: acl.Public}},
		"trailing bits of the header":         {mac(bent(header) + "." + body), nil},
		"trailing bits of the claims":         {mac(header + "." + bent(body)), nil},
		"trailing bits of the signature":      {bent(good), nil},
		"a line break in the signature":       {good[:len(good)-4] + "\n" + good[len(good)-4:], nil},
		"a carriage return in the signature":  {good[:len(good)-4] + "\r" + good[len(good)-4:], nil},
		"padding":                             {good + "=", nil},
		"a fourth part":                       {good + ".", nil},
		"a fourth part that is signed":        {mac(header + "." + body + "."), nil},
		"no signature":                        {header + "." + body + ".", nil},
		"another algorithm of the same key":   {sign(t, jwt.SigningMethodHS512, "", secret, claims), nil},
		"no algorithm, and so no signature":   {sign(t, jwt.SigningMethodNone, "", jwt.UnsafeAllowNoneSignatureType, claims), nil},
		"the algorithm, in a library's token": {sign(t, jwt.SigningMethodHS256, "", secret, claims), &acl.Principal{Agent: "alice", Taint: acl.Public}},
	} {
		t.Run(rule, func(t *testing.T) {
			p, err := verifier.Verify(t.Context(), test.token)
			check(t, p, err, test.want)
		})
	}
}

func TestRefusalsTellTheirReason(t *testing.T) {
	r, stranger := newRemote(t), newRemote(t)
	verifier, err := token.NewVerifier(t.Context(), token.Options{Now: at(noon), Issuers: []token.Issuer{{
		Issuer: "https://id.test", Audience: "memory", Algorithm: "ES256", JWKSet: r.keySet(), Subjects: []string{"agent-*"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	good := facts{"iss": "https://id.test", "aud": "memory", "sub": "agent-7", "exp": noon.Add(time.Hour).Unix()}
	past := noon.Add(-time.Hour).Unix()
	for _, test := range []struct {
		change facts
		reason string
	}{
		{facts{"exp": past}, "the token has expired"},
		{facts{"exp": past, "aud": "other"}, "the token has expired"},
		{facts{"exp": past, "taint": "SECRET", "sub": "root"}, "the token has expired"},
		{facts{"aud": "other", "taint": "SECRET"}, "the token is for another audience"},
		{facts{"exp": nil}, "the token lacks its exp or aud"},
		{facts{"nbf": noon.Add(time.Hour).Unix()}, "the token is not valid yet: compare the clocks of its issuer and this server"},
		{facts{"iat": noon.Add(2 * time.Minute).Unix()}, "the token was issued in the future: compare the clocks of its issuer and this server"},
		{facts{"taint": "SECRET", "sub": "a b"}, "the token's taint is not one of the four labels"},
		{facts{"sub": "a b"}, "the token's sub, chat or user is not a valid id"},
		{facts{"sub": "root", "taint": "RESTRICTED"}, "the token's issuer may not issue tokens for this subject"},
		{facts{"taint": "INTERNAL", "scope": "share"}, "the token's taint is above what its issuer may grant"},
		{facts{"scope": "share"}, "the token has a scope that its issuer may not grant"},
	} {
		text := sign(t, jwt.SigningMethodES256, "e", r.ec, with(good, test.change))
		var refusal *token.Refusal
		if _, err := verifier.Verify(t.Context(), text); !errors.As(err, &refusal) || refusal.Reason != test.reason {
			t.Errorf("%v: got %v, want %q", test.change, err, test.reason)
		}
		// SECURITY: errors reveal no unverified claims.
		forged := sign(t, jwt.SigningMethodES256, "e", stranger.ec, with(good, test.change))
		if _, err := verifier.Verify(t.Context(), forged); !errors.As(err, &refusal) || refusal.Reason != "the token is not valid" {
			t.Errorf("%v, forged: got %v", test.change, err)
		}
	}
}

// BenchmarkVerify measures the cost of a token per request:
//
//	go test ./server/token -run '^$' -bench Verify -benchmem
func BenchmarkVerify(b *testing.B) {
	key, _ := localKey(b)
	verifier, err := token.NewVerifier(b.Context(), token.Options{Local: key, Now: at(noon)})
	if err != nil {
		b.Fatal(err)
	}
	minted, err := key.Mint(acl.Principal{Agent: "alice", Taint: acl.Internal, Chat: "c", User: "u", Share: true}, time.Hour, noon)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verifier.Verify(b.Context(), minted); err != nil {
			b.Fatal(err)
		}
	}
}
