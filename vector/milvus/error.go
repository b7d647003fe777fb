package milvus

import (
	"context"
	"errors"
	"fmt"

	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Classes of errors. An error of this package contains the operation, its class and a code. It
// never contains Milvus's message, which may quote filters and rows.
var (
	// ErrUnavailable reports that Milvus is unreachable, starting, loading or
	// overloaded. The call may succeed later.
	ErrUnavailable = errors.New("milvus is not available")
	// ErrDenied reports that Milvus rejected the user, password or privilege.
	ErrDenied = errors.New("milvus denies access")
	// ErrMissing reports that the collection does not exist.
	ErrMissing = errors.New("the collection is missing from milvus")
	// ErrMismatch reports that the collection differs from what this version
	// and configuration would create.
	ErrMismatch = errors.New("the collection in milvus does not match")
	// ErrRefused reports any other error of Milvus.
	ErrRefused = errors.New("milvus refused")

	// errNotLoaded reports that the collection is not in Milvus's memory.
	errNotLoaded = fmt.Errorf("%w: the collection is not loaded", ErrUnavailable)
	// errNoIndex reports that the collection has no index.
	errNoIndex = fmt.Errorf("%w: no index", ErrRefused)
)

// statusError is an error status that Milvus returned in a reply, although the gRPC call itself
// succeeded.
type statusError struct {
	code      int32 // Status.Code, or Status.ErrorCode if that is 0
	legacy    bool  // code is an ErrorCode of Milvus 2.2 and earlier
	retriable bool
}

// Error implements error. It does not include Milvus's message.
func (e *statusError) Error() string { return fmt.Sprintf("milvus code %d", e.code) }

// Error codes, from pkg/util/merr/errors.go in the sources of Milvus 2.3 and
// 2.4.
const (
	codeLastService        = 99 // 1 (not ready) to 9 (force deny), all temporary
	codeUnimplemented      = 10
	codeCollectionMissing  = 100
	codeCollectionUnloaded = 101
	codeCollectionLoading  = 103
	codePartitionUnloaded  = 201
	codePartitionLoading   = 202
	codeFirstReplica       = 400 // from here on: replicas, channels, segments; all temporary
	codeLastSegment        = 699
	codeIndexMissing       = 700
	codeFirstNode          = 900
	codeLastNode           = 999
	codeFirstPrivilege     = 1400
	codeLastPrivilege      = 1499
	codeCanceled           = 10000
	codeTimeout            = 10001
)

// class returns the class of errors, such as ErrDenied, to which the code belongs.
func (e *statusError) class() error {
	if e.legacy {
		switch commonpb.ErrorCode(e.code) {
		case commonpb.ErrorCode_PermissionDenied:
			return ErrDenied
		case commonpb.ErrorCode_CollectionNotExists:
			return ErrMissing
		case commonpb.ErrorCode_IndexNotExist:
			return errNoIndex
		case commonpb.ErrorCode_NotShardLeader, commonpb.ErrorCode_NoReplicaAvailable, commonpb.ErrorCode_RateLimit,
			commonpb.ErrorCode_NotReadyServe, commonpb.ErrorCode_NotReadyCoordActivating:
			return ErrUnavailable
		}
		return ErrRefused
	}
	within := func(first, last int32) bool { return first <= e.code && e.code <= last }
	switch c := e.code; {
	case c == codeCollectionMissing:
		return ErrMissing
	case c == codeCollectionUnloaded, c == codePartitionUnloaded:
		return errNotLoaded
	case c == codeIndexMissing:
		return errNoIndex
	case within(codeFirstPrivilege, codeLastPrivilege):
		return ErrDenied
	case c == codeUnimplemented:
		return ErrRefused
	case e.retriable, within(1, codeLastService), c == codeCollectionLoading, c == codePartitionLoading,
		within(codeFirstReplica, codeLastSegment), within(codeFirstNode, codeLastNode), c == codeCanceled, c == codeTimeout:
		return ErrUnavailable
	}
	return ErrRefused
}

// classify converts the error of a call into one that contains the operation, its class and a
// code, but no text of Milvus. If ctx has ended, it returns the error of ctx.
func classify(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	var failed *statusError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("milvus: %s: %w", operation, ctx.Err())
	case errors.As(err, &failed):
		return fmt.Errorf("milvus: %s: %w (code %d)", operation, failed.class(), failed.code)
	}
	switch code := status.Code(err); code {
	case codes.Canceled:
		return fmt.Errorf("milvus: %s: %w: the connection was closed", operation, ErrUnavailable)
	case codes.DeadlineExceeded:
		return fmt.Errorf("milvus: %s: %w", operation, context.DeadlineExceeded)
	case codes.Unavailable, codes.ResourceExhausted, codes.Aborted:
		return fmt.Errorf("milvus: %s: %w (%s)", operation, ErrUnavailable, code)
	case codes.Unauthenticated, codes.PermissionDenied:
		return fmt.Errorf("milvus: %s: %w (%s)", operation, ErrDenied, code)
	default:
		return fmt.Errorf("milvus: %s: %w (%s)", operation, ErrRefused, code)
	}
}
