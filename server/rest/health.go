package rest

import (
	"context"
	"time"

	"mneme/search"
	"mneme/server"
	"mneme/server/rest/api"
	"mneme/server/series"
)

// GetHealth reports the server's state and, for platform tokens, its activity.
func (s *Surface) GetHealth(ctx context.Context, _ api.GetHealthRequestObject) (api.GetHealthResponseObject, error) {
	report := s.metrics.Report()
	out := healthOf(&report)
	// SECURITY: totals over all agents, and the shape of a search, would reveal the
	// activity of others to an agent.
	if server.Principal(ctx).Platform {
		addActivity(&out, &report)
		s.addModels(ctx, &out, &report)
	}
	return api.GetHealth200JSONResponse(out), nil
}

// healthOf returns the part that every token may see.
func healthOf(r *server.Report) api.Health {
	out := api.Health{Now: time.Now().UTC(), Started: r.Started.UTC(), Limits: []api.HealthLimit{}}
	out.Storage.Kind, out.Storage.Up = r.Storage, r.Status.Storage
	out.Vector.Kind, out.Vector.Up = r.Vector, r.Status.Vector
	out.Encoder.Kind, out.Encoder.Serving, out.Encoder.Configured = r.Embedder, r.Status.Serving, r.Status.Configured
	out.Versions.Build, out.Versions.Revision = r.Version, r.Revision
	out.Versions.Schema, out.Versions.Analysis = r.Schema, r.Analysis
	for _, limit := range r.Limits {
		one := api.HealthLimit{Name: limit.Name, Value: limit.Value}
		if limit.Unit != "" {
			one.Unit = &limit.Unit
		}
		out.Limits = append(out.Limits, one)
	}
	return out
}

// addActivity adds the activity over all agents.
func addActivity(out *api.Health, r *server.Report) {
	if at := r.Status.Progress.Reconciled; !at.IsZero() {
		out.Vector.Reconciled = &struct {
			At       time.Time `json:"at"`
			Removed  int64     `json:"removed"`
			Restored int64     `json:"restored"`
		}{at.UTC(), r.Status.Progress.LastReconciled.Removed, r.Status.Progress.LastReconciled.Restored}
	}
	out.Queue = &api.HealthQueue{Depth: r.Status.Queue, OldestS: float32(r.Status.Waits.Max.Seconds())}
	out.Searches = &api.HealthSearches{Running: r.Searches.Running, Waiting: r.Searches.Waiting}
	minutes, slow := make([]api.HealthMinute, 0, len(r.Minutes)), make([]api.SlowSearches, 0, len(r.Slow))
	for _, minute := range r.Minutes {
		minutes = append(minutes, minuteOf(minute))
	}
	for _, one := range r.Slow {
		slow = append(slow, slowOf(one))
	}
	out.Minutes, out.Steps = &minutes, new(stepsOf(r.Durations))
	out.Slow, out.SlowFromMs = &slow, new(inMilliseconds(r.SlowFrom))
}

// addModels adds the serving models and how many stores each model reads, over all
// agents. It omits the counts while the storage does not answer.
func (s *Surface) addModels(ctx context.Context, out *api.Health, r *server.Report) {
	if r.Status.Multilingual != "" {
		out.Encoder.Multilingual = &r.Status.Multilingual
	}
	if !r.Status.Storage {
		return
	}
	if n, err := s.service.Admin().ModelStores(ctx, caller(ctx)); err == nil && n != nil {
		out.Encoder.Stores = &api.HealthStores{English: n.English, Multilingual: n.Multilingual}
	}
}

func minuteOf(m series.Minute) api.HealthMinute {
	out := api.HealthMinute{
		Start: m.Start, Searches: m.Searches, Degraded: m.Degraded, Incomplete: m.Incomplete,
		Requests: m.Requests, Limited: m.Limited, Failed: m.Failed,
		Written: m.Written, Indexed: m.Indexed, IndexFailed: m.IndexFailed, Steps: stepsOf(m.Durations),
	}
	if m.Sampled {
		wait := float32(m.OldestWait.Seconds())
		out.QueueDepth, out.OldestWaitS = &m.QueueDepth, &wait
	}
	return out
}

func stepsOf(durations []series.Duration) []api.HealthStep {
	out := []api.HealthStep{}
	for _, d := range durations {
		out = append(out, api.HealthStep{Step: d.Phase.String(), Count: d.Count, P50Ms: inMilliseconds(d.P50), P99Ms: inMilliseconds(d.P99)})
	}
	return out
}

func slowOf(s series.Slow) api.SlowSearches {
	steps := make(map[string]float32)
	for _, phase := range series.Phases() {
		if took := s.Times[phase]; took > 0 {
			steps[phase.String()] = inMilliseconds(took)
		}
	}
	return api.SlowSearches{
		Mode: s.Mode, Options: search.OptionSet(s.Options).Names(), Limit: s.Limit, Wordings: s.Wordings, Stores: s.Stores,
		Degraded: s.Degraded, Searches: s.Searches, Last: s.Last.UTC(), StepsMs: steps,
	}
}

// inMilliseconds returns a duration in milliseconds, to the microsecond.
func inMilliseconds(d time.Duration) float32 { return float32(d.Microseconds()) / 1000 }
