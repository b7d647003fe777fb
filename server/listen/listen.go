// Package listen opens a server's listener, on an address or a Unix socket, and
// the certificate of a server with TLS.
package listen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mneme/internal/system"
)

// SocketScheme begins an address that is the path of a Unix socket.
const SocketScheme = "unix:"

// ErrInUse reports that something listens on an address.
var ErrInUse = errors.New("the address is in use")

// Open listens on host:port, or on "unix:" and a path. mode is the mode of
// the socket's file. The error wraps ErrInUse if another process listens
// there.
func Open(ctx context.Context, address string, mode os.FileMode) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, SocketScheme); ok {
		return openSocket(ctx, path, mode)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if system.IsAddressInUse(err) {
		return nil, fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return listener, err
}

// maxPath bounds the path of a socket, in bytes: the limit of macOS; Linux allows four more.
// openSocket opens a socket in a temporary folder beside its path, with a path that is at most
// room bytes longer than the folder of its final path.
const (
	maxPath = 103
	room    = len("/1234567890/s")
)

// socket is a listener on a Unix socket, which removes its file when it is closed.
type socket struct {
	net.Listener
	path string
	file os.FileInfo
}

// openSocket listens in a private folder, then sets the socket's mode and moves it
// to its path. It replaces a socket on which nobody listens, and leaves any other
// file at the path alone.
func openSocket(ctx context.Context, path string, mode os.FileMode) (net.Listener, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := checkFree(ctx, path); err != nil {
		return nil, err
	}
	if max(len(path), len(filepath.Dir(path))+room) > maxPath {
		return nil, fmt.Errorf("the path of a Unix socket must have at most %d bytes, and its folder %d", maxPath, maxPath-room)
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	made := filepath.Join(folder, "s")
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", made)
	if err != nil {
		return nil, fmt.Errorf("unix socket %s: %w", path, reason(err))
	}
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // its path will change
	}
	s := &socket{Listener: listener, path: path}
	err = os.Chmod(made, mode)
	if err == nil {
		err = os.Rename(made, path)
	}
	if err == nil {
		s.file, err = os.Lstat(path)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

// checkFree returns an error unless the path does not exist or is a socket on which
// nobody listens.
func checkFree(ctx context.Context, path string) error {
	file, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case file.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(ErrInUse, conn.Close())
	case system.IsConnectionRefused(err), errors.Is(err, os.ErrNotExist):
		return nil
	}
	return fmt.Errorf("unix socket %s: %w", path, reason(err))
}

// reason returns the cause within an error of package net, whose own text would name the
// temporary path of the socket.
func reason(err error) error {
	var failed *net.OpError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Addr returns the socket's path.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// Close ends the listener, and removes its file unless another one has its path.
func (s *socket) Close() error {
	err := s.Listener.Close()
	if file, statErr := os.Lstat(s.path); statErr == nil && os.SameFile(file, s.file) {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}
