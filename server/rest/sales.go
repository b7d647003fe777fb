package rest

import (
	"bytes"
	"context"
	"encoding/csv"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"mneme/meter"
	"mneme/server/problem"
	"mneme/server/rest/api"
)

// contentCSV is the media type of sales as a table (RFC 4180).
const contentCSV = "text/csv"

// ListSales sums the sales of a store.
func (s *Surface) ListSales(ctx context.Context, r api.ListSalesRequestObject) (api.ListSalesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	from, err := parseInstant("from", r.Params.From)
	if err != nil {
		return nil, err
	}
	to, err := parseInstant("to", r.Params.To)
	if err != nil {
		return nil, err
	}
	by := meter.SaleGroup(or(r.Params.By, api.ListSalesParamsBy(meter.ByDay)))
	rows, err := s.market.Sales(ctx, caller(ctx), store, from, to, by)
	if err != nil {
		return nil, err
	}
	out := salesOf(rows, by)
	if prefersCSV(requestHeader(ctx)) {
		return salesTable{out, by}, nil
	}
	return api.ListSales200JSONResponse{Items: out}, nil
}

// parseInstant parses a time in a query: a date, which means its first instant
// in UTC, or RFC 3339. The zero time means that there is none.
func parseInstant(name string, text *string) (time.Time, error) {
	if text == nil {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, *text); err == nil && !t.IsZero() {
			return t.UTC(), nil
		}
	}
	return time.Time{}, problem.In(problem.Malformed, name, "must be a date such as 2026-01-31, or a time in RFC 3339")
}

func salesOf(rows []meter.SalesRow, by meter.SaleGroup) []api.SalesRow {
	out := make([]api.SalesRow, len(rows))
	for i, row := range rows {
		out[i] = api.SalesRow{Searches: row.Searches, Hits: row.Hits, Entries: row.Entries, Share: row.Share, Income: row.Income}
		switch by {
		case meter.ByBuyer:
			out[i].Buyer = &row.Buyer
		case meter.ByOffer:
			out[i].Offer = &row.Offer
		default:
			out[i].Day = &openapi_types.Date{Time: row.Day.UTC()}
		}
	}
	return out
}

// prefersCSV reports whether an Accept header asks for CSV rather than JSON.
func prefersCSV(h http.Header) bool {
	var table, object float64
	for item := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		media, parameters, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		weight := 1.0
		if q, given := parameters["q"]; given {
			if weight, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		switch media {
		case contentCSV:
			table = max(table, weight)
		case "application/json", "application/*", "*/*":
			object = max(object, weight)
		}
	}
	return table > 0 && table >= object
}

// salesTable is the answer as CSV.
type salesTable struct {
	rows []api.SalesRow
	by   meter.SaleGroup
}

// VisitListSalesResponse writes the table.
func (t salesTable) VisitListSalesResponse(w http.ResponseWriter) error {
	var b bytes.Buffer
	table := csv.NewWriter(&b)
	records := [][]string{{string(t.by), "searches", "hits", "entries", "share", "income"}}
	for _, row := range t.rows {
		var group string
		switch {
		case row.Buyer != nil:
			group = *row.Buyer
		case row.Offer != nil:
			group = row.Offer.String()
		case row.Day != nil:
			group = row.Day.Format(time.DateOnly)
		}
		records = append(records, []string{
			cell(group), decimal(row.Searches), decimal(row.Hits), decimal(row.Entries),
			strconv.FormatFloat(row.Share, 'f', -1, 64), decimal(row.Income),
		})
	}
	if err := table.WriteAll(records); err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentCSV+"; charset=utf-8; header=present")
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b.Bytes())
	return err
}

// cell returns a text as a cell that no spreadsheet evaluates as a formula:
// buyers choose their own names.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
