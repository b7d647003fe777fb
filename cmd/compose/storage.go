package compose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"mneme/configs"
	"mneme/memory"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/sqlite"
)

// databaseFile is the name of the SQLite database in the data folder.
const databaseFile = "mneme.db"

// HasData reports whether there may be something in the configured storage: with
// SQLite, whether the data folder has a database.
func HasData(config configs.Config) bool {
	if config.Storage != "sqlite" {
		return true
	}
	_, err := os.Stat(filepath.Join(config.DataDir, databaseFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// DatabaseID returns an identifier of the configured database, to distinguish it from
// others. It is a digest without secrets. For PostgreSQL it covers the host, port,
// database, user and search path of the DSN, which pgx completes from the environment, but
// not the password: with a new one, the database is still the same.
func DatabaseID(config configs.Config) (string, error) {
	id := []string{config.Storage}
	if config.Storage == "postgres" {
		dsn, err := pgx.ParseConfig(string(config.Postgres.DSN))
		if err != nil {
			// The error of pgx would quote the DSN.
			return "", errors.New("the DSN is neither a postgres:// URL nor a list of keyword=value")
		}
		id = append(id, dsn.Host, strconv.Itoa(int(dsn.Port)), dsn.Database, dsn.User, dsn.RuntimeParams["search_path"], dsn.RuntimeParams["options"])
	} else {
		dir, err := filepath.Abs(config.DataDir)
		if err != nil {
			dir = config.DataDir
		}
		id = append(id, dir)
	}
	sum := sha256.Sum256([]byte(strings.Join(id, "\x00")))
	return hex.EncodeToString(sum[:8]), nil
}

// ReadSchema reads the version of the schema of the configured storage, which must have
// data, and the newest that this program knows. It migrates nothing.
func ReadSchema(ctx context.Context, config configs.Config) (version, newest int64, err error) {
	if config.Storage == "postgres" {
		if config.Postgres.DSN == "" {
			return 0, 0, errNoDSN()
		}
		return postgres.ReadSchema(ctx, string(config.Postgres.DSN))
	}
	return sqlite.ReadSchema(ctx, filepath.Join(config.DataDir, databaseFile))
}

// IsCurrent reports whether the texts in the configured storage, whose schema must be this
// program's, were analyzed as this program does. It changes nothing.
func IsCurrent(ctx context.Context, config configs.Config) (bool, error) {
	rows, err := openStorage(ctx, config, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, err
	}
	current, err := memory.IsCurrent(ctx, rows)
	return current, errors.Join(err, rows.Close())
}

// Partition divides the tables of a PostgreSQL database into the configured number of
// partitions, unless they have some already. This rewrites the tables irreversibly, and no
// other process may use them meanwhile. Therefore only a starting server does it;
// everything else opens the tables as they are.
func Partition(ctx context.Context, config configs.Config) error {
	if config.Storage != "postgres" || config.Postgres.Partitions == 0 {
		return nil
	}
	rows, err := openPostgres(ctx, config, postgres.Options{})
	if err != nil {
		return err
	}
	return rows.Close()
}

func errNoDSN() error {
	return &ConfigError{errors.New("storage postgres needs postgres.dsn (MNEME_POSTGRES_DSN)")}
}

// openStorage opens the configured storage.
func openStorage(ctx context.Context, config configs.Config, log *slog.Logger) (storage.Storage, error) {
	switch config.Storage {
	case "sqlite":
		if err := MakeDataDir(config.DataDir); err != nil {
			return nil, err
		}
		rows, err := sqlite.Open(ctx, filepath.Join(config.DataDir, databaseFile))
		if err != nil {
			return nil, err // not a nil *sqlite.Storage in an interface
		}
		return rows, nil
	case "postgres":
		return openPostgres(ctx, config, postgres.Options{KeepPartitions: true, Log: log})
	default:
		return nil, &ConfigError{fmt.Errorf("unknown storage %s: use sqlite or postgres", config.Storage)}
	}
}

// openPostgres opens the configured PostgreSQL database, with its partitions.
func openPostgres(ctx context.Context, config configs.Config, options postgres.Options) (storage.Storage, error) {
	if config.Postgres.DSN == "" {
		return nil, errNoDSN()
	}
	options.Partitions = config.Postgres.Partitions
	rows, err := postgres.Open(ctx, string(config.Postgres.DSN), options)
	if errors.Is(err, postgres.ErrPartitions) {
		return nil, &ConfigError{err}
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}
