package milvus

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"github.com/milvus-io/milvus-proto/go-api/v2/milvuspb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const secret = `entry in ["0190d1f0-0000-7000-8000-000000000001"]`

func TestAnErrorStatusInAReplyIsAnError(t *testing.T) {
	newer := &commonpb.Status{Code: 1100, Reason: secret}
	older := &commonpb.Status{ErrorCode: commonpb.ErrorCode_IllegalArgument, Reason: secret}
	for name, c := range map[string]struct {
		reply any
		fails bool
	}{
		"success":             {&milvuspb.SearchResults{Status: &commonpb.Status{}}, false},
		"no status":           {&milvuspb.SearchResults{}, false},
		"a bare status":       {newer, true},
		"search":              {&milvuspb.SearchResults{Status: newer}, true},
		"search, older field": {&milvuspb.SearchResults{Status: older}, true},
		"query":               {&milvuspb.QueryResults{Status: newer}, true},
		"mutation":            {&milvuspb.MutationResult{Status: newer}, true},
		"describe":            {&milvuspb.DescribeCollectionResponse{Status: newer}, true},
		"loading":             {&milvuspb.GetLoadingProgressResponse{Status: newer}, true},
	} {
		t.Run(name, func(t *testing.T) {
			invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
			err := failOnStatus(context.Background(), "", nil, c.reply, nil, invoke)
			if (err != nil) != c.fails {
				t.Errorf("error %v", err)
			}
			if err = classify(context.Background(), "search", err); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error quotes milvus: %v", err)
			}
		})
	}
}

func TestErrorsAreClassified(t *testing.T) {
	code := func(c int32) error { return &statusError{code: c} }
	older := func(c commonpb.ErrorCode) error { return &statusError{code: int32(c), legacy: true} }
	for name, c := range map[string]struct{ err, want error }{
		"not ready":              {code(1), ErrUnavailable},
		"rate limit":             {code(8), ErrUnavailable},
		"unimplemented":          {code(10), ErrRefused},
		"collection not found":   {code(100), ErrMissing},
		"collection not loaded":  {code(101), errNotLoaded},
		"collection loading":     {code(103), ErrUnavailable},
		"channel not available":  {code(503), ErrUnavailable},
		"segment lacks":          {code(602), ErrUnavailable},
		"index not found":        {code(700), errNoIndex},
		"node lacks":             {code(903), ErrUnavailable},
		"invalid parameter":      {code(1100), ErrRefused},
		"not authenticated":      {code(1400), ErrDenied},
		"not permitted":          {code(1401), ErrDenied},
		"timeout":                {code(10001), ErrUnavailable},
		"unexpected":             {code(65535), ErrRefused},
		"retriable":              {&statusError{code: 65535, retriable: true}, ErrUnavailable},
		"older: no collection":   {older(commonpb.ErrorCode_CollectionNotExists), ErrMissing},
		"older: no index":        {older(commonpb.ErrorCode_IndexNotExist), errNoIndex},
		"older: not ready":       {older(commonpb.ErrorCode_NotReadyServe), ErrUnavailable},
		"older: permission":      {older(commonpb.ErrorCode_PermissionDenied), ErrDenied},
		"older: unexpected":      {older(commonpb.ErrorCode_UnexpectedError), ErrRefused},
		"grpc: unavailable":      {status.Error(codes.Unavailable, secret), ErrUnavailable},
		"grpc: unauthenticated":  {status.Error(codes.Unauthenticated, secret), ErrDenied},
		"grpc: unimplemented":    {status.Error(codes.Unimplemented, secret), ErrRefused},
		"grpc: deadline":         {status.Error(codes.DeadlineExceeded, secret), context.DeadlineExceeded},
		"grpc: unknown":          {status.Error(codes.Unknown, secret), ErrRefused},
		"any other, with a text": {errors.New(secret), ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			err := classify(context.Background(), "search", c.err)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error quotes milvus: %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := classify(ctx, "search", code(100)); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled context: error %v", err)
	}
}

func TestConfigIsCheckedBeforeAnyConnection(t *testing.T) {
	valid := Config{Addr: "127.0.0.1:1", Fingerprint: "f", Dim: 8}
	with := func(change func(*Config)) Config {
		c := valid
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		config Config
		ok     bool
	}{
		"valid":                     {valid, true},
		"no address":                {with(func(c *Config) { c.Addr = "" }), false},
		"a password in the address": {with(func(c *Config) { c.Addr = "root:pw@host:1" }), false},
		"a URL":                     {with(func(c *Config) { c.Addr = "http://host:1" }), false},
		"no fingerprint":            {with(func(c *Config) { c.Fingerprint = "" }), false},
		"no dimension":              {with(func(c *Config) { c.Dim = 0 }), false},
		"dimension too large":       {with(func(c *Config) { c.Dim = maxDim + 1 }), false},
		"an invalid prefix":         {with(func(c *Config) { c.Prefix = "a-b" }), false},
		"no partitions":             {with(func(c *Config) { c.Partitions = -1 }), false},
		"ef too large":              {with(func(c *Config) { c.HNSW.Ef = 1 << 20 }), false},
		"a missing CA file":         {with(func(c *Config) { c.TLS = TLS{Enabled: true, CAFile: "missing.pem"} }), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.config.withDefaults()
			if err == nil && c.config.TLS.Enabled {
				_, err = c.config.TLS.config()
			}
			if (err == nil) != c.ok {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestEveryFingerprintHasItsCollection(t *testing.T) {
	name := func(prefix, fingerprint string) string {
		return Config{Prefix: prefix, Fingerprint: fingerprint}.collection()
	}
	if got := name("mneme", "e5"); got != name("mneme", "e5") || got == name("mneme", "e5/2") || got == name("other", "e5") {
		t.Errorf("collection %s", got)
	}
}
