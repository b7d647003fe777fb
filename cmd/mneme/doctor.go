package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
)

// state is the outcome of one check of doctor.
type state string

const (
	fine    state = "ok"
	warning state = "warning" // mneme works, but with limitations
	problem state = "problem" // mneme does not work
)

// style returns the style of a state on a terminal.
func (s state) style() string {
	switch s {
	case fine:
		return green
	case warning:
		return yellow
	case problem:
		return red
	}
	return ""
}

// finding is the result of one check of doctor.
type finding struct {
	Check string `json:"check"`
	State state  `json:"state"`
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"` // the remedy
}

// diagnosis is one run of the doctor command.
type diagnosis struct {
	*program
	config   configs.Config
	findings []finding
}

func newDoctor(p *program) *cobra.Command {
	d := diagnosis{program: p}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check folder, database, index, model, address and clock",
		Long: `Checks whether mneme can work as it is configured: the data folder, the signing key,
the database, the vector index, the embedder, the address to listen on, and the
clock. Says what is wrong and what to do about it, and exits with status 1 if there
is a problem. Works beside a running server. Makes no folder and no database, and
updates none of an older version; one of this version is checked for damage.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) (err error) {
			d.config, err = p.configure(cmd)
			if err != nil {
				d.add("configuration", problem, err.Error(), "mneme config show prints it once it is valid; configs/example.yaml has every key")
				return d.report()
			}
			d.run(cmd.Context())
			return d.report()
		}),
	}
	cmd.Flags().String("addr", configs.Default().Addr, "`address` to listen on, as serve takes it")
	return cmd
}

func (d *diagnosis) run(ctx context.Context) {
	d.checkVariables()
	d.checkFolder()
	d.checkKey()
	d.checkData(ctx)
	d.checkModel(ctx)
	d.checkAddress(ctx)
	d.checkCertificate()
	d.checkClock()
}

func (d *diagnosis) add(check string, s state, says, do string) {
	d.findings = append(d.findings, finding{check, s, says, do})
}

// report prints the findings, and fails if one is a problem.
func (d *diagnosis) report() error {
	problems, colours := 0, styled(d.out)
	for _, f := range d.findings {
		if f.State == problem {
			problems++
		}
		if d.json {
			continue
		}
		state, check := fmt.Sprintf("%-8s", f.State), f.Check
		if colours {
			state, check = inStyle(f.State.style(), state), inStyle(bold, check)
		}
		if _, err := fmt.Fprintf(d.out, "%s %s: %s\n", state, check, plain(f.Says)); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(d.out, "%-8s → %s\n", "", plain(f.Do)); err != nil {
				return err
			}
		}
	}
	if d.json {
		if err := d.printJSON(map[string]any{"ok": problems == 0, "findings": d.findings}); err != nil {
			return err
		}
	}
	if problems > 0 {
		return fmt.Errorf("%s found", counted(problems, "problem"))
	}
	return nil
}

func (d *diagnosis) checkVariables() {
	from := "defaults"
	if file := d.configFile(); file != "" {
		from = file
	}
	if unknown := configs.UnknownVariables(clientVariables...); len(unknown) > 0 {
		says := make([]string, len(unknown))
		for i, variable := range unknown {
			says[i] = variable.String()
		}
		d.add("configuration", warning, strings.Join(says, "; "), "unset them, or correct their names; mneme config show lists the keys")
		return
	}
	d.add("configuration", fine, fmt.Sprintf("%s; storage %s, vector index %s, embedder %s", from, d.config.Storage, d.config.Vector, d.config.Embedder), "")
}

// checkData checks the database and, if it can be opened, the vector index and the queue.
func (d *diagnosis) checkData(ctx context.Context) {
	if !compose.HasData(d.config) {
		d.add("database", fine, "nothing is stored yet", "")
		return
	}
	// Read only the schema first: opening a database of an older version would upgrade it.
	version, newest, err := compose.ReadSchema(ctx, d.config)
	switch {
	case err != nil:
		d.addUnopened(err)
		return
	case version == 0:
		d.add("database", fine, "nothing is stored yet", "")
		return
	case version < newest:
		d.add("database", warning, fmt.Sprintf("is of an older version of mneme: schema %d, this program's is %d; neither it nor the vector index was checked", version, newest),
			"back it up; the next command that opens it updates it, and older programs can then not open it: docs/operating/upgrades.md")
		return
	}
	current, err := compose.IsCurrent(ctx, d.config)
	switch {
	case err != nil:
		d.addUnopened(err)
		return
	case !current:
		d.add("database", warning, "another version of mneme analyzed its texts; neither it nor the vector index was checked",
			"back it up and stop other processes; the next command that opens it analyzes them again: docs/operating/upgrades.md")
		return
	}
	service, err := compose.OpenRows(ctx, d.config, slog.New(slog.DiscardHandler))
	if err != nil {
		d.addUnopened(err)
		return
	}
	d.checkRows(ctx, service)
	if err := service.Close(); err != nil {
		d.add("database", problem, err.Error(), "")
		return
	}
	d.checkIndex(ctx)
}

// addUnopened adds the error of a database that could not be opened.
func (d *diagnosis) addUnopened(err error) {
	do := "docs/operating/troubleshooting.md has the errors of databases"
	if d.config.Storage == "postgres" {
		do = "check MNEME_POSTGRES_DSN, and that the server runs and the role may connect"
	}
	d.add("database", problem, err.Error(), do)
}

// checkRows checks the database for damage and its clock.
func (d *diagnosis) checkRows(ctx context.Context, service *compose.Instance) {
	says := "opens"
	if checker, ok := service.Storage.(interface{ Check(context.Context) error }); ok {
		says = "opens, no damage found"
		if err := checker.Check(ctx); err != nil {
			d.add("database", problem, err.Error(), "restore a backup: docs/operating/backups.md")
			return
		}
	}
	if versioned, ok := service.Storage.(interface{ SchemaVersion() int64 }); ok {
		says = fmt.Sprintf("%s; schema %d", says, versioned.SchemaVersion())
	}
	d.add("database", fine, says, "")
	if divided, ok := service.Storage.(interface{ Partitions() int }); ok {
		d.checkPartitions(divided.Partitions())
	}
	if clock, ok := service.Storage.(clock); ok {
		d.checkDatabaseClock(ctx, clock)
	}
}

// checkPartitions compares the tables' number of partitions with the configured one. Only
// serve repartitions them.
func (d *diagnosis) checkPartitions(has int) {
	const check = "partitions"
	switch wanted := d.config.Postgres.Partitions; {
	case wanted == 0 || wanted == has:
	case has == 0:
		d.add(check, warning, fmt.Sprintf("the tables have none, and postgres.partitions is %d", wanted),
			"stop other processes and start mneme serve, which divides the tables for good, or set it to 0")
	default:
		d.add(check, problem, fmt.Sprintf("the tables have %d, and postgres.partitions is %d: mneme serve does not start", has, wanted),
			"set that number or 0, or load a dump into an empty database")
	}
}

// checkIndex checks the vector index and its queue.
func (d *diagnosis) checkIndex(ctx context.Context) {
	const check = "vector index"
	service, err := compose.Open(ctx, d.config, slog.New(slog.DiscardHandler))
	if err != nil {
		do := ""
		if d.config.Vector == "milvus" {
			do = "check milvus.addr, and that Milvus runs"
		}
		d.add(check, problem, err.Error(), do)
		return
	}
	status := service.Status(ctx)
	switch {
	case status.Serving == "":
		d.add(check, warning, "no configured embedder made the vectors: searches find words alone", "configure the embedder that made them, or run mneme reindex")
	case !status.Vector:
		d.add(check, warning, "does not answer: searches find words alone", "check milvus.addr, and that Milvus runs")
	case status.Serving != status.Configured:
		d.add(check, warning, "serves vectors of another embedder than the configured one", "run mneme reindex")
	case status.Queue > 0:
		d.add(check, fine, entries(int(status.Queue))+" waiting for vectors, which a running server makes", "")
	default:
		d.add(check, fine, "up to date", "")
	}
	d.checkRefused(ctx, service)
	d.checkStores(ctx, service, status.Multilingual)
	if err := service.Close(); err != nil && !errors.Is(err, context.Canceled) {
		d.add(check, problem, err.Error(), "")
	}
}

// maxNamed is the maximum number of entries to name that cannot be embedded.
const maxNamed = 20

// checkRefused names the entries that the embedder rejects, never their text.
func (d *diagnosis) checkRefused(ctx context.Context, service *compose.Instance) {
	const check = "embedding"
	refused, err := service.Refused(ctx, maxNamed+1)
	if err != nil {
		d.add(check, problem, err.Error(), "")
		return
	}
	for i, e := range refused {
		if i == maxNamed {
			d.add(check, warning, "more entries than these are not embedded", "")
			return
		}
		key := e.Key
		if e.Namespace != "" {
			key = e.Namespace + "/" + key
		}
		d.add(check, warning, fmt.Sprintf("store %s, key %s: %s; words alone find it", e.Store, key, e.Reason),
			"divide or shorten it, or have the embedder cut what is too long, and lower openai.max_tokens; it is tried again by itself")
	}
}

// checkStores reports the number of stores that each model reads, unless one embedder
// reads all. multilingual is the fingerprint of the multilingual vectors; "" if there are
// none.
func (d *diagnosis) checkStores(ctx context.Context, service *compose.Instance, multilingual string) {
	const check = "models"
	n, err := service.ModelStores(ctx, memory.Caller{Principal: acl.Principal{Agent: operator, Taint: acl.Public, Platform: true}})
	switch {
	case err != nil:
		d.add(check, problem, err.Error(), "")
	case n == nil:
		d.add(check, fine, "one embedder reads every language", "")
	case multilingual == "" && n.Multilingual == 0:
		d.add(check, fine, fmt.Sprintf("the English model reads %s; none has needed the multilingual one yet", counted(int(n.English), "store")), "")
	default:
		text := fmt.Sprintf("the English model reads %s, the multilingual one %s", counted(int(n.English), "store"), counted(int(n.Multilingual), "store"))
		if n.Unread > 0 {
			text += fmt.Sprintf("; it has yet to read entries of %s, which a running server makes it do", counted(int(n.Unread), "store"))
		}
		d.add(check, fine, text, "")
	}
}
