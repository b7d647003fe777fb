package milvus

import (
	"context"
	"errors"
	"fmt"
	"time"

	grpc_retry "github.com/grpc-ecosystem/go-grpc-middleware/retry"
	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

// maxReply is the maximum size of a reply in bytes. 16,384 vectors of 1,536 elements take 100
// MB.
const maxReply = 256 << 20

// dial returns a client that connects in the background. By default, the SDK connects before it
// returns (grpc.WithBlock): it waits until the context ends, and then does not report why it
// could not connect. Without this option, a call to an unreachable server fails at once, and
// later calls reconnect.
func dial(ctx context.Context, config Config) (client.Client, error) {
	options := []grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: .2, MaxDelay: 3 * time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxReply),
			// By default the SDK retries every call for up to a minute. Here the number of
			// attempts depends on the operation (see retry).
			grpc_retry.Disable(),
		),
		grpc.WithChainUnaryInterceptor(failOnStatus),
	}
	if config.TLS.Enabled {
		secure, err := config.TLS.config()
		if err != nil {
			return nil, err
		}
		options = append(options, grpc.WithTransportCredentials(credentials.NewTLS(secure)))
	}
	conn, err := client.NewClient(ctx, client.Config{
		Address:        config.Addr,
		Username:       config.User,
		Password:       config.Password,
		DBName:         config.Database,
		EnableTLSAuth:  config.TLS.Enabled,
		DialOptions:    options,
		RetryRateLimit: &client.RetryRateLimitOption{},
		// If the handshake fails, the SDK leaks the connection: so it is disabled.
		DisableConn: true,
	})
	if err != nil {
		// The SDK's error may quote the address.
		return nil, errors.New("milvus: invalid address: it must be host:port")
	}
	return conn, nil
}

// failOnStatus is an interceptor that returns an error if a reply has an error status. Milvus
// 2.3 has a new status field and a deprecated one, and some replies set only the new one. The
// SDK checks only the deprecated one, so a failed search would look like one without hits.
func failOnStatus(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if err := invoke(ctx, method, request, reply, conn, options...); err != nil {
		return err
	}
	var s *commonpb.Status
	switch r := reply.(type) {
	case *commonpb.Status:
		s = r
	case interface{ GetStatus() *commonpb.Status }:
		s = r.GetStatus()
	}
	switch {
	case s.GetCode() != 0:
		return &statusError{code: s.GetCode(), retriable: s.GetRetriable()}
	case s.GetErrorCode() != commonpb.ErrorCode_Success: //nolint:staticcheck // deprecated, but some replies set only this field
		return &statusError{code: int32(s.GetErrorCode()), legacy: true, retriable: s.GetRetriable()} //nolint:staticcheck // as above
	}
	return nil
}

// The maximum number of attempts while Milvus is unavailable. It is small for a search: its
// caller is waiting, and the lexical leg can answer without Milvus. Writes come from a queue
// that also retries them later.
const (
	searchAttempts = 3 // waits of 50 and 100 ms
	writeAttempts  = 6 // waits of 50 ms to 0.8 s
	initialBackoff = 50 * time.Millisecond
)

// retry makes a call until it succeeds, fails with an error other than ErrUnavailable, or has
// been attempted attempts times. Each attempt takes at most timeout.
func (x *Index) retry(ctx context.Context, operation string, attempts int, timeout time.Duration, call func(context.Context) error) error {
	backoff := initialBackoff
	for {
		err := attempt(ctx, operation, timeout, call)
		attempts--
		if err == nil || attempts <= 0 || !errors.Is(err, ErrUnavailable) {
			return err
		}
		if errors.Is(err, errNotLoaded) {
			x.reload(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("milvus: %s: %w", operation, ctx.Err())
		case <-time.After(backoff):
		}
		backoff *= 2
	}
}

func attempt(ctx context.Context, operation string, timeout time.Duration, call func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return classify(ctx, operation, call(limited))
}
