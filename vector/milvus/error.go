package milvus

import (
	"context"
	"errors"
	"fmt"

	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Classes of failure. An error of this package holds the operation, a class
// and a code, never what Milvus said: its messages quote filters and rows.
var (
	// ErrUnavailable says that Milvus cannot be reached, or is starting,
	// loading or overloaded; it may succeed later.
	ErrUnavailable = errors.New("milvus is not available")
	// ErrDenied says that Milvus refuses user, password or privilege.
	ErrDenied = errors.New("milvus denies access")
	// ErrMissing says that the collection is not there.
	ErrMissing = errors.New("the collection is missing from milvus")
	// ErrMismatch says that the collection is of another make than this
	// version and configuration would have created.
	ErrMismatch = errors.New("the collection in milvus does not match")
	// ErrRefused says that Milvus would not do what it was asked.
	ErrRefused = errors.New("milvus refused")

	// errNotLoaded says that the collection is not in Milvus's memory.
	errNotLoaded = fmt.Errorf("%w: the collection is not loaded", ErrUnavailable)
	// errNoIndex says that the collection has no index.
	errNoIndex = fmt.Errorf("%w: no index", ErrRefused)
)

// failure is a status of Milvus's own: it travels inside a reply, whose call
// succeeded.
type failure struct {
	code      int32 // Status.Code, or Status.ErrorCode where that is 0
	legacy    bool  // code is an ErrorCode, of Milvus 2.2 and before
	retriable bool
}

// Error implements error. It repeats nothing of Milvus's text.
func (f *failure) Error() string { return fmt.Sprintf("milvus code %d", f.code) }

// Codes of Milvus, from pkg/util/merr/errors.go of its sources (2.3 and 2.4).
const (
	codeLastService        = 99 // 1 not ready … 9 force deny: all pass by
	codeUnimplemented      = 10
	codeCollectionMissing  = 100
	codeCollectionUnloaded = 101
	codeCollectionLoading  = 103
	codePartitionUnloaded  = 201
	codePartitionLoading   = 202
	codeFirstReplica       = 400 // replicas, channels, segments: all move about
	codeLastSegment        = 699
	codeIndexMissing       = 700
	codeFirstNode          = 900
	codeLastNode           = 999
	codeFirstPrivilege     = 1400
	codeLastPrivilege      = 1499
	codeCanceled           = 10000
	codeTimeout            = 10001
)

// class is the sentinel of a failure.
func (f *failure) class() error {
	if f.legacy { // Milvus 2.2 and before gave these alone
		switch commonpb.ErrorCode(f.code) {
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
	within := func(first, last int32) bool { return first <= f.code && f.code <= last }
	switch c := f.code; {
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
	case f.retriable, within(1, codeLastService), c == codeCollectionLoading, c == codePartitionLoading,
		within(codeFirstReplica, codeLastSegment), within(codeFirstNode, codeLastNode), c == codeCanceled, c == codeTimeout:
		return ErrUnavailable
	}
	return ErrRefused
}

// classify turns the error of a call into one that tells its class and
// nothing else. The caller's own end of context comes first.
func classify(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	var f *failure
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("milvus: %s: %w", operation, ctx.Err())
	case errors.As(err, &f):
		return fmt.Errorf("milvus: %s: %w (code %d)", operation, f.class(), f.code)
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
