package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	"mneme/configs"
	"mneme/memory"
)

func newExport(p *program) *cobra.Command {
	var as callerFlags
	var store, address, folder string
	var full, force bool
	cmd := &cobra.Command{
		Use:   "export --agent A [--store S] [--markdown DIR]",
		Short: "Print what an agent can list of a store, as NDJSON or Markdown files that import takes",
		Long: `Prints the entries of a store (the agent's own, unless --store names another)
that the agent can list, one JSON object a line.

With --markdown they become files of a folder, in MAESTRO's form: key.md with
frontmatter and the value, the index MEMORY.md, and what the agent may restore
under trash/. Such a folder is brought up to date by exporting into it again:
what changed is written, and files of entries that are gone are removed, but
files that were edited since are left and told, and any other folder that is
not empty is refused, unless --force is given.

With --full it is an operator's dump of the whole database: ids, owners, labels,
versions, times, history, grants, settings and trash, which import --full
restores as they were.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if full {
				if !only(cmd) || folder != "" {
					return usageError{errors.New("--full takes neither --agent, --taint, --store, --url nor --markdown")}
				}
				return p.dump(cmd.Context(), config)
			}
			caller, err := as.caller(as.agent)
			if err != nil {
				return err
			}
			if store == "" {
				store = as.agent
			}
			if err := acl.CheckID(store); err != nil {
				return usageError{err}
			}
			if folder != "" {
				return p.exportFolder(cmd.Context(), config, caller, store, address, as, folder, force)
			}
			if force {
				return usageError{errors.New("--force goes with --markdown")}
			}
			if address == "" {
				return p.export(cmd.Context(), config, caller, store)
			}
			server, err := newRemote(config, address, as)
			if err != nil {
				return err
			}
			body, err := server.call(cmd.Context(), as.agent, http.MethodGet, "v1/stores/"+url.PathEscape(store)+"/export", "", nil)
			if err != nil {
				return err
			}
			defer body.Close()
			_, err = io.Copy(p.out, body)
			return err
		}),
	}
	as.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&store, "store", "", "the store (default: the agent's own)")
	flags.StringVar(&address, "url", "", "read from the server at this address")
	flags.StringVar(&folder, "markdown", "", "write Markdown files into this `folder`")
	flags.BoolVar(&force, "force", false, "with --markdown: into any folder, and over edited files")
	flags.BoolVar(&full, "full", false, "dump the whole database")
	return cmd
}

func (p *program) export(ctx context.Context, config configs.Config, caller memory.Caller, store string) (err error) {
	service, err := backend.OpenRows(ctx, config, p.logger(config.Log))
	if err != nil {
		return err
	}
	defer closing(service, &err)
	if err := service.RegisterCaller(ctx, caller.Principal); err != nil {
		return err
	}
	out := bufio.NewWriterSize(p.out, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err = service.Export(ctx, caller, store, func(found memory.Found) error {
		return encoder.Encode(entryLine(&found.Entry))
	})
	return errors.Join(err, out.Flush())
}

func (p *program) dump(ctx context.Context, config configs.Config) (err error) {
	service, err := backend.OpenRows(ctx, config, p.logger(config.Log))
	if err != nil {
		return err
	}
	defer closing(service, &err)
	return service.Dump(ctx, p.out)
}

// exportLine is an entry as the REST API shows it.
type exportLine struct {
	ID          string          `json:"id"`
	Store       string          `json:"store_id"`
	Owner       string          `json:"owner_id"`
	Namespace   string          `json:"namespace"`
	Key         string          `json:"key"`
	Label       acl.Label       `json:"label"`
	Value       json.RawMessage `json:"value"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Tags        []string        `json:"tags"`
	InContext   bool            `json:"in_context"`
	Encrypted   bool            `json:"encrypted"`
	Source      json.RawMessage `json:"source,omitempty"`
	ExpiresAt   *time.Time      `json:"expires_at,omitempty"`
	Version     int             `json:"version"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
	UpdatedBy   string          `json:"updated_by"`
	DeletedAt   *time.Time      `json:"deleted_at,omitempty"` // of entries in the trash
}

// entry is what a line says of an entry. Its id does not matter here.
func (l *exportLine) entry() *memory.Entry {
	e := &memory.Entry{
		Path: memory.Path{Store: l.Store, Namespace: l.Namespace, Key: l.Key}, Owner: l.Owner, Label: l.Label,
		Value: l.Value, Type: l.Type, Description: l.Description, Tags: l.Tags, InContext: l.InContext,
		Encrypted: l.Encrypted, Source: l.Source, Version: l.Version,
		CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, UpdatedBy: l.UpdatedBy,
	}
	if l.ExpiresAt != nil {
		e.ExpiresAt = *l.ExpiresAt
	}
	if l.DeletedAt != nil {
		e.DeletedAt = *l.DeletedAt
	}
	return e
}

func entryLine(e *memory.Entry) exportLine {
	line := exportLine{
		ID: e.ID.String(), Store: e.Store, Owner: e.Owner, Namespace: e.Namespace, Key: e.Key, Label: e.Label,
		Value: e.Value, Type: e.Type, Description: e.Description, Tags: e.Tags, InContext: e.InContext,
		Encrypted: e.Encrypted, Source: e.Source, Version: e.Version,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, UpdatedBy: e.UpdatedBy,
	}
	if line.Tags == nil {
		line.Tags = []string{}
	}
	if !e.ExpiresAt.IsZero() {
		line.ExpiresAt = &e.ExpiresAt
	}
	return line
}
