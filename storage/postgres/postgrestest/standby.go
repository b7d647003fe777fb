//go:build unix

package postgrestest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Follow makes the stopped server a standby of a running primary, with a copy of its data, and
// starts it.
func (s *Server) Follow(ctx context.Context, primary *Server) error {
	if err := os.RemoveAll(s.dataDir); err != nil {
		return err
	}
	if err := os.Mkdir(s.dataDir, 0o700); err != nil {
		return err
	}
	if s.credential != nil {
		if err := os.Chown(s.dataDir, int(s.credential.Uid), int(s.credential.Gid)); err != nil {
			return err
		}
	}
	out, err := s.command(s.Program("pg_basebackup"), "-R", "-c", "fast", "--no-sync", "-d", primary.DSN()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return s.Start(ctx)
}

// StandBy stops the server and starts it again as a standby, on the same address.
func (s *Server) StandBy(ctx context.Context) error {
	if err := s.Stop(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dataDir, "standby.signal"), nil, 0o644); err != nil { //nolint:gosec // the server's user reads it
		return err
	}
	if s.credential != nil { // promotion deletes the file
		if err := os.Chown(filepath.Join(s.dataDir, "standby.signal"), int(s.credential.Uid), int(s.credential.Gid)); err != nil {
			return err
		}
	}
	return s.Start(ctx)
}

// Promote makes a standby a primary.
func (s *Server) Promote() error {
	if out, err := s.command(s.Program("pg_ctl"), "promote").CombinedOutput(); err != nil {
		return fmt.Errorf("pg_ctl promote: %w: %s", err, out)
	}
	return nil
}

// AwaitStandbys makes every commit wait for a standby. Standbys whose data was copied before do
// not have the setting.
func (s *Server) AwaitStandbys(t testing.TB) {
	t.Helper()
	Administer(t, s.DSN(), "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
}
