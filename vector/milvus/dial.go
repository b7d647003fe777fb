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

// maxReply bounds one reply: 16,384 vectors of 1,536 elements take 100 MB.
const maxReply = 256 << 20

// dial makes a client that connects in the background: the SDK's own way,
// grpc.WithBlock, waits until the context ends and then cannot tell why.
// Without it a call to a server that is not there fails at once, and every
// later one connects anew.
func dial(ctx context.Context, config Config) (client.Client, error) {
	options := []grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: .2, MaxDelay: 3 * time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxReply),
			// The SDK retries for up to a minute, whatever was called; how
			// often is for each operation here to say (see try).
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
		// The SDK's greeting would leave the connection open where it fails.
		DisableConn: true,
	})
	if err != nil {
		// The error may quote the address.
		return nil, errors.New("milvus: the address cannot be used: it must be host:port")
	}
	return conn, nil
}

// failOnStatus makes an error of a reply that carries one. The SDK looks at
// the field that Milvus 2.3 deprecated, and takes a failed search whose
// status has only the newer one for a search without hits.
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
		return &failure{code: s.GetCode(), retriable: s.GetRetriable()}
	case s.GetErrorCode() != commonpb.ErrorCode_Success: //nolint:staticcheck // deprecated, and still the one that some answers set
		return &failure{code: int32(s.GetErrorCode()), legacy: true, retriable: s.GetRetriable()} //nolint:staticcheck // as above
	}
	return nil
}

// How often an operation is tried while Milvus is not available. A search
// has somebody waiting, who is better served by the other leg; what is
// written comes from a queue that tries again on its own.
const (
	searchTries = 3 // waits of 50 and 100 ms
	writeTries  = 6 // waits of 50 ms to 0.8 s
	firstWait   = 50 * time.Millisecond
)

// try runs one call, each time for at most timeout, until it succeeds, fails
// for good or has been tried often enough.
func (x *Index) try(ctx context.Context, operation string, tries int, timeout time.Duration, call func(context.Context) error) error {
	wait := firstWait
	for {
		err := x.once(ctx, operation, timeout, call)
		tries--
		if err == nil || tries <= 0 || !errors.Is(err, ErrUnavailable) {
			return err
		}
		if errors.Is(err, errNotLoaded) {
			x.reload(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("milvus: %s: %w", operation, ctx.Err())
		case <-time.After(wait):
		}
		wait *= 2
	}
}

func (x *Index) once(ctx context.Context, operation string, timeout time.Duration, call func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return classify(ctx, operation, call(bounded))
}
