package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A pooler, such as PgBouncer, may give each transaction another of its connections to the
// server. It refuses or ignores most parameters of a connection. Behind a pooler, each
// transaction sets what it needs, and no statement is prepared under a name. See
// docs/decisions/0092-poolers.md.

// marker is a parameter that connect sets to find out whether a pooler is between: it reaches
// the server only by a direct connection (server.is_direct).
const marker = "mneme.direct"

// settings are the server parameters that parse sets and a pooler does not pass on.
var settings = []string{
	"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "timezone", "jit", "enable_seqscan",
}

// connect returns the configuration for a DSN, direct or through a pooler, and the statements
// by which each transaction sets the parameters: none for a direct connection.
func (o Options) connect(ctx context.Context, dsn string) (config *pgxpool.Config, set []string, err error) {
	config, err = o.parse(dsn)
	if err != nil {
		return nil, nil, err
	}
	parameters := config.ConnConfig.RuntimeParams
	parameters[marker] = "on"
	direct := false
	err = try(ctx, config.ConnConfig, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, texts.Text("server.is_direct"), pgx.QueryExecModeExec).Scan(&direct)
	})
	delete(parameters, marker)
	if direct || err != nil && protocolViolation(err) == nil {
		return config, nil, interpret(ctx, "connect", err)
	}
	o.pooled = true
	if config, err = o.parse(dsn); err != nil {
		return nil, nil, err
	}
	parameters = config.ConnConfig.RuntimeParams
	for _, name := range settings {
		set = append(set, "SET LOCAL "+name+" = '"+strings.ReplaceAll(parameters[name], "'", "''")+"'")
		delete(parameters, name)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	return config, set, checkPooler(ctx, config.ConnConfig)
}

// checkPooler returns an error with advice if a pooler does not pass on a parameter of the DSN
// besides settings, or allows no transactions.
func checkPooler(ctx context.Context, config *pgx.ConnConfig) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(config.RuntimeParams)), func(name string) bool { return name == "application_name" })
	dropped := ""
	err := try(ctx, config, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
			return err
		}
		for _, name := range names {
			passed := false
			err := conn.QueryRow(ctx, texts.Text("server.has_parameter"), pgx.QueryExecModeExec, name, config.RuntimeParams[name]).Scan(&passed)
			if dropped = name; err != nil || !passed {
				return err
			}
		}
		dropped = ""
		return nil
	})
	refused := protocolViolation(err)
	if refused != nil && dropped == "" { // refused before a parameter was queried
		i := slices.IndexFunc(names, func(name string) bool { return strings.Contains(refused.Message, "parameter: "+name) })
		if i >= 0 {
			dropped = names[i]
		}
	}
	switch {
	case dropped != "":
		return fmt.Errorf("the connection pooler does not pass on the parameter %s of the DSN: remove it there, and set it by ALTER ROLE … SET %s, or connect to the server itself", dropped, dropped)
	case refused != nil && strings.Contains(refused.Message, "statement pooling"):
		return errors.New("the connection pooler allows no transactions: set its pool_mode to transaction or session")
	}
	return interpret(ctx, "connect", err)
}

// try calls fn with a new connection.
func try(ctx context.Context, config *pgx.ConnConfig, fn func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	return errors.Join(fn(conn), conn.Close(context.WithoutCancel(ctx)))
}

// protocolViolation returns an error with SQLSTATE 08P01, or nil. Poolers use that state for
// everything that the server would not report.
func protocolViolation(err error) *pgconn.PgError {
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == "08P01" {
		return server
	}
	return nil
}
