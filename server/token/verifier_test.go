package token_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/server/token"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// remote is an issuer of tokens with its keys.
type remote struct {
	rsa *rsa.PrivateKey
	ec  *ecdsa.PrivateKey
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &remote{rsa: r, ec: e}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// keySet holds both keys: the issuer's algorithm decides which one is used.
func (r *remote) keySet() json.RawMessage {
	exponent := big.NewInt(int64(r.rsa.E)).Bytes()
	point, err := r.ec.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return json.RawMessage(fmt.Sprintf(`{"keys":[
		{"kty":"RSA","kid":"r","use":"sig","n":%q,"e":%q},
		{"kty":"EC","crv":"P-256","kid":"e","use":"sig","x":%q,"y":%q}]}`,
		b64(r.rsa.N.Bytes()), b64(exponent), b64(point[1:33]), b64(point[33:])))
}

type facts = jwt.MapClaims

func with(base facts, change facts) facts {
	out := facts{}
	for name, value := range base {
		out[name] = value
	}
	for name, value := range change {
		if value == nil {
			delete(out, name)
			continue
		}
		out[name] = value
	}
	return out
}

func sign(t *testing.T, method jwt.SigningMethod, kid string, key any, claims jwt.Claims) string {
	t.Helper()
	made := jwt.NewWithClaims(method, claims)
	if kid != "" {
		made.Header["kid"] = kid
	}
	text, err := made.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// raw builds an HS256 token from an unmodified header and body.
func raw(key []byte, header, body string) string {
	signed := b64([]byte(header)) + "." + b64([]byte(body))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(signed))
	return signed + "." + b64(mac.Sum(nil))
}

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

func TestRemoteTokensGiveWhatTheirIssuerMayGive(t *testing.T) {
	r, stranger := newRemote(t), newRemote(t)
	issuer := token.Issuer{
		Issuer: "https://id.test", Audience: "memory", Algorithm: "RS256", JWKSet: r.keySet(),
		Subjects: []string{"agent-*", "root"}, MaxTaint: acl.Confidential, Scopes: []string{token.ScopeShare},
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{Issuers: []token.Issuer{issuer}, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	good := facts{"iss": "https://id.test", "aud": "memory", "sub": "agent-7", "exp": noon.Add(time.Hour).Unix()}
	rs := func(change facts) string { return sign(t, jwt.SigningMethodRS256, "r", r.rsa, with(good, change)) }
	publicPEM := r.rsa.N.Bytes() // a confused verifier would use it as a shared secret

	tests := []struct {
		rule  string
		token string
		want  *acl.Principal // nil: refused
	}{
		{"a token with the required claims is PUBLIC", rs(nil), &acl.Principal{Agent: "agent-7", Taint: acl.Public}},
		{"all claims are read", rs(facts{"taint": "CONFIDENTIAL", "chat": "c1", "user": "u1", "scope": "share openid"}),
			&acl.Principal{Agent: "agent-7", Taint: acl.Confidential, Chat: "c1", User: "u1", Share: true}},
		{"an audience may be one of several", rs(facts{"aud": []string{"other", "memory"}}), &acl.Principal{Agent: "agent-7", Taint: acl.Public}},
		{"a subject may be named exactly", rs(facts{"sub": "root"}), &acl.Principal{Agent: "root", Taint: acl.Public}},
		{"a minute of skew is forgiven", rs(facts{"exp": noon.Add(-59 * time.Second).Unix(), "iat": noon.Add(59 * time.Second).Unix()}), &acl.Principal{Agent: "agent-7", Taint: acl.Public}},

		{"61 s are not", rs(facts{"exp": noon.Add(-61 * time.Second).Unix()}), nil},
		{"exp is required", rs(facts{"exp": nil}), nil},
		{"exp is a number", rs(facts{"exp": "1900000000"}), nil},
		{"exp lies within reason", rs(facts{"exp": 1e300}), nil},
		{"nbf holds", rs(facts{"nbf": noon.Add(61 * time.Second).Unix()}), nil},
		{"iat does not lie ahead", rs(facts{"iat": noon.Add(61 * time.Second).Unix()}), nil},
		{"iss is required", rs(facts{"iss": nil}), nil},
		{"another iss is refused", rs(facts{"iss": "https://other.test"}), nil},
		{"the local iss is refused", rs(facts{"iss": "mneme", "aud": "mneme"}), nil},
		{"aud is required", rs(facts{"aud": nil}), nil},
		{"another aud is refused", rs(facts{"aud": "other"}), nil},
		{"sub is required", rs(facts{"sub": nil}), nil},
		{"sub is an id", rs(facts{"sub": "agent-7/x"}), nil},
		{"sub is not reserved", rs(facts{"sub": "self"}), nil},
		{"sub is a string", rs(facts{"sub": 7}), nil},
		{"sub is one that the issuer speaks for", rs(facts{"sub": "rooty"}), nil},
		{"taint is a label", rs(facts{"taint": "SECRET"}), nil},
		{"taint is in capitals", rs(facts{"taint": "public"}), nil},
		{"taint is within the issuer's", rs(facts{"taint": "RESTRICTED"}), nil},
		{"taint is not null", sign(t, jwt.SigningMethodRS256, "r", r.rsa, raws(with(good, facts{"taint": json.RawMessage("null")}))), nil},
		{"chat is an id", rs(facts{"chat": "a b"}), nil},
		{"scopes are within the issuer's", rs(facts{"scope": "share platform"}), nil},
		{"spend is within the issuer's", rs(facts{"scope": "share spend"}), nil},
		{"scope is a string", rs(facts{"scope": []string{"share"}}), nil},
		{"another's key is refused", sign(t, jwt.SigningMethodRS256, "r", stranger.rsa, good), nil},
		{"an unknown kid is refused", sign(t, jwt.SigningMethodRS256, "x", r.rsa, good), nil},
		{"another algorithm of the key is refused", sign(t, jwt.SigningMethodRS512, "r", r.rsa, good), nil},
		{"another padding of the key is refused", sign(t, jwt.SigningMethodPS256, "r", r.rsa, good), nil},
		{"another key of the set is refused", sign(t, jwt.SigningMethodES256, "e", r.ec, good), nil},
		{"a public key is no shared secret", sign(t, jwt.SigningMethodHS256, "r", publicPEM, good), nil},
		{"a shared secret of another algorithm is none", sign(t, jwt.SigningMethodHS512, "r", publicPEM, good), nil},
		{"no signature is refused", sign(t, jwt.SigningMethodNone, "", jwt.UnsafeAllowNoneSignatureType, good), nil},
		{"a cut-off signature is refused", strings.TrimRight(rs(nil)[:len(rs(nil))-8], "."), nil},
		{"a changed body is refused", tampered(rs(nil)), nil},
		{"nothing is refused", "", nil},
		{"two parts are refused", "a.b", nil},
		{"a very long one is refused", strings.Repeat("a", 9000), nil},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			p, err := verifier.Verify(t.Context(), test.token)
			check(t, p, err, test.want)
		})
	}
}

type rawClaims []byte

func (r rawClaims) MarshalJSON() ([]byte, error)               { return r, nil }
func (rawClaims) GetExpirationTime() (*jwt.NumericDate, error) { return nil, nil }
func (rawClaims) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (rawClaims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (rawClaims) GetIssuer() (string, error)                   { return "", nil }
func (rawClaims) GetSubject() (string, error)                  { return "", nil }
func (rawClaims) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

func raws(f facts) jwt.Claims {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return rawClaims(text)
}

func tampered(text string) string {
	parts := strings.Split(text, ".")
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		panic(err)
	}
	parts[1] = b64([]byte(strings.Replace(string(body), "agent-7", "agent-8", 1)))
	return strings.Join(parts, ".")
}

func check(t *testing.T, p acl.Principal, err error, want *acl.Principal) {
	t.Helper()
	var refusal *token.Refusal
	switch {
	case want == nil && !errors.As(err, &refusal):
		t.Fatalf("got %+v, %v, want a refusal", p, err)
	case want != nil && err != nil:
		t.Fatalf("refused: %v", err)
	case want != nil && p != *want:
		t.Fatalf("got %+v, want %+v", p, *want)
	}
}

func TestLocalTokensAreReadStrictly(t *testing.T) {
	key, secret := localKey(t)
	verifier, err := token.NewVerifier(t.Context(), token.Options{Local: key, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	const header = `{"alg":"HS256","typ":"JWT"}`
	body := func(members string) string {
		return fmt.Sprintf(`{"iss":"mneme","aud":"mneme","exp":%d,%s}`, noon.Add(time.Minute).Unix(), members)
	}
	alice := &acl.Principal{Agent: "alice", Taint: acl.Public}
	tests := []struct {
		rule         string
		header, body string
		want         *acl.Principal
	}{
		{"a plain token counts", header, body(`"sub":"alice"`), alice},
		{"unknown claims are left aside", header, body(`"sub":"alice","jti":"1","act":{"sub":"bob"}`), alice},
		{"platform may be claimed", header, body(`"sub":"alice","scope":"platform","taint":"RESTRICTED"`),
			&acl.Principal{Agent: "alice", Taint: acl.Restricted, Platform: true}},
		{"a claim given twice is refused", header, body(`"sub":"alice","sub":"bob"`), nil},
		{"a claim given twice by an escape is refused", header, body(`"sub":"alice","\u0073ub":"bob"`), nil},
		{"a claim in another case is none", header, body(`"Sub":"alice"`), nil},
		{"a claim in another case does not replace one", header, body(`"sub":"alice","SUB":"bob"`), alice},
		{"a header given twice is refused", `{"alg":"HS256","alg":"HS256"}`, body(`"sub":"alice"`), nil},
		{"critical extensions are refused", `{"alg":"HS256","crit":["b64"],"b64":false}`, body(`"sub":"alice"`), nil},
		{"another header algorithm is refused", `{"alg":"HS512"}`, body(`"sub":"alice"`), nil},
		{"the algorithm none is refused", `{"alg":"none"}`, body(`"sub":"alice"`), nil},
		{"no algorithm is refused", `{"typ":"JWT"}`, body(`"sub":"alice"`), nil},
		{"something behind the claims is refused", header, body(`"sub":"alice"`) + `{}`, nil},
		{"claims that are no object are refused", header, `[]`, nil},
		{"half a surrogate pair is refused", header, body(`"sub":"alice","chat":"\ud800"`), nil},
		{"invalid UTF-8 is refused", header, body("\"sub\":\"alice\",\"x\":\"\xff\""), nil},
		{"claims of null are refused", header, `null`, nil},
		{"a header of null is refused", `null`, body(`"sub":"alice"`), nil},
		{"critical extensions of null are refused", `{"alg":"HS256","crit":null}`, body(`"sub":"alice"`), nil},
		{"an algorithm that is no string is refused", `{"alg":["HS256"]}`, body(`"sub":"alice"`), nil},
		{"an algorithm in another case is refused", `{"alg":"hs256"}`, body(`"sub":"alice"`), nil},
		{"a header that no number can hold is refused", `{"alg":"HS256","x":1e999}`, body(`"sub":"alice"`), nil},
		{"half a second counts", header, strings.Replace(body(`"sub":"alice"`), `,"sub"`, `.5e0,"sub"`, 1), alice},
		{"a negative date is refused", header, body(`"sub":"alice","nbf":-1`), nil},
		{"a date that no number can hold is refused", header, body(`"sub":"alice","nbf":1e999`), nil},
		{"a date that is true is refused", header, body(`"sub":"alice","nbf":true`), nil},
		{"a date in a list is refused", header, body(`"sub":"alice","nbf":[1]`), nil},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			p, err := verifier.Verify(t.Context(), raw(secret, test.header, test.body))
			check(t, p, err, test.want)
		})
	}
}

func TestTheLocalKeyCountsOnlyWhereItIsGiven(t *testing.T) {
	key, _ := localKey(t)
	minted, err := key.Mint(acl.Principal{Agent: "alice", Taint: acl.Internal, Chat: "c", User: "u", Platform: true, Share: true, Spend: true}, time.Hour, noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{true, false} {
		o := token.Options{Now: at(noon)}
		var want *acl.Principal
		if on {
			o.Local = key
			want = &acl.Principal{Agent: "alice", Taint: acl.Internal, Chat: "c", User: "u", Platform: true, Share: true, Spend: true}
		}
		verifier, err := token.NewVerifier(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := verifier.Verify(t.Context(), minted)
		check(t, p, err, want)
	}
	if _, err := key.Mint(acl.Principal{Agent: "self", Taint: acl.Public}, time.Hour, noon); err == nil {
		t.Error("a token for a reserved id was minted")
	}
	if _, err := key.Mint(acl.Principal{Agent: "alice", Taint: acl.Public}, 0, noon); err == nil {
		t.Error("a token without a life was minted")
	}
}

func TestKeysBehindAURLAreFetched(t *testing.T) {
	r := newRemote(t)
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(r.keySet())
	}))
	defer keys.Close()
	issuer := token.Issuer{
		Issuer: "https://id.test", Audience: "memory", Algorithm: "ES256", JWKS: keys.URL,
		Subjects: []string{"*"}, MaxTaint: acl.Public,
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	verifier, err := token.NewVerifier(ctx, token.Options{Issuers: []token.Issuer{issuer}, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	claims := facts{"iss": "https://id.test", "aud": "memory", "sub": "a", "exp": noon.Add(time.Hour).Unix()}
	p, err := verifier.Verify(ctx, sign(t, jwt.SigningMethodES256, "e", r.ec, claims))
	check(t, p, err, &acl.Principal{Agent: "a", Taint: acl.Public})
	p, err = verifier.Verify(ctx, sign(t, jwt.SigningMethodRS256, "r", r.rsa, claims))
	check(t, p, err, nil)
}

func TestIssuersThatTrustTooMuchAreRefused(t *testing.T) {
	r := newRemote(t)
	good := token.Issuer{Issuer: "https://id.test", Audience: "memory", Algorithm: "RS256", JWKSet: r.keySet(), Subjects: []string{"*"}}
	tests := map[string]func(*token.Issuer){
		"no issuer":                    func(i *token.Issuer) { i.Issuer = "" },
		"no audience":                  func(i *token.Issuer) { i.Audience = "" },
		"the local key's name":         func(i *token.Issuer) { i.Issuer = "mneme" },
		"no algorithm":                 func(i *token.Issuer) { i.Algorithm = "" },
		"the algorithm none":           func(i *token.Issuer) { i.Algorithm = "none" },
		"a shared secret":              func(i *token.Issuer) { i.Algorithm = "HS256" },
		"no keys":                      func(i *token.Issuer) { i.JWKSet = nil },
		"keys of two kinds":            func(i *token.Issuer) { i.JWKS = "https://id.test/keys" },
		"keys on a plain connection":   func(i *token.Issuer) { i.JWKSet, i.JWKS = nil, "http://id.test/keys" },
		"keys in a file":               func(i *token.Issuer) { i.JWKSet, i.JWKS = nil, "file:///keys" },
		"nobody to speak for":          func(i *token.Issuer) { i.Subjects = nil },
		"a star inside a pattern":      func(i *token.Issuer) { i.Subjects = []string{"a*b"} },
		"an unknown scope":             func(i *token.Issuer) { i.Scopes = []string{"admin"} },
		"a taint that is none of four": func(i *token.Issuer) { i.MaxTaint = 9 },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			issuer := good
			change(&issuer)
			if _, err := token.NewVerifier(t.Context(), token.Options{Issuers: []token.Issuer{issuer}}); err == nil {
				t.Error("taken")
			}
		})
	}
}

func FuzzVerifyNeverPanicsAndNeverAdmits(f *testing.F) {
	key, _ := localKey(f)
	verifier, err := token.NewVerifier(context.Background(), token.Options{Local: key, Now: at(noon)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("a.b.c")
	f.Add(raw([]byte("another key"), `{"alg":"HS256"}`, `{"iss":"mneme","aud":"mneme","sub":"a","exp":9999999999}`))
	f.Add("mneme_0_0")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := verifier.Verify(context.Background(), text); err == nil {
			t.Fatalf("admitted %+v", p)
		}
	})
}
