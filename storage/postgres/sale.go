package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/meter"
)

// The sales of a store ($1) in [$2, $3), through offers up to a label ($4): its
// charges, and what the store still has of the entries bought with them.
const (
	whereSold = ` WHERE c.store = $1 AND c.at >= $2 AND c.at < $3 AND c.label <= $4 AND c.state IN ('pending', 'done')`
	whereKept = whereSold + ` AND e.store = (SELECT number FROM store WHERE id = $1)
	AND e.state = 0 AND e.label <= $4 AND e.in_context AND NOT e.encrypted`
)

// saleKeys are the columns by which sales are grouped. A day is its first instant.
var saleKeys = map[meter.SaleGroup]string{
	meter.ByDay:   "date_trunc('day', c.at, 'UTC')",
	meter.ByBuyer: "c.buyer",
	meter.ByOffer: "c.offer",
}

func selectSales(key string) string {
	return "SELECT " + key + ", count(*), sum(c.hits)::bigint, sum(cardinality(c.entries))::bigint, sum(c.amount)::bigint FROM charge c" +
		whereSold + " GROUP BY 1 ORDER BY 1"
}

func selectDistinct(key string) string {
	return "SELECT " + key + ", count(DISTINCT e.id) FROM charge c JOIN bought b ON b.charge = c.id JOIN entry e ON e.id = b.entry" +
		whereKept + " GROUP BY 1 ORDER BY 1"
}

// Sales implements meter.ChargeReader.
func (r *reader) Sales(ctx context.Context, q meter.SalesQuery) ([]meter.Sale, error) {
	key, ok := saleKeys[q.By]
	if !ok {
		return nil, fmt.Errorf("postgres: sales cannot be grouped by %q", q.By)
	}
	if !storable(q.Store) {
		return nil, nil
	}
	r.setRLSStore(q.Store)
	to := q.To
	if to.IsZero() {
		to = farFuture
	}
	args := []any{q.Store, q.From, to, int16(min(q.Ceiling, acl.Restricted))}
	var sales []meter.Sale
	next := 0 // both queries have the same order
	err := r.queryBatch(ctx, []batchQuery{
		{selectSales(key), args, func(rows pgx.Rows) error {
			var s meter.Sale
			err := scanSale(rows, q.By, &s, &s.Searches, &s.Hits, &s.Entries, &s.Income)
			sales = append(sales, s)
			return err
		}},
		{selectDistinct(key), args, func(rows pgx.Rows) error {
			var s meter.Sale
			if err := scanSale(rows, q.By, &s, &s.Distinct); err != nil {
				return err
			}
			for sales[next].Day != s.Day || sales[next].Buyer != s.Buyer || sales[next].Offer != s.Offer {
				next++
			}
			sales[next].Distinct = s.Distinct
			return nil
		}},
	})
	return sales, err
}

// Sales implements meter.ChargeReader.
func (w *writer) Sales(ctx context.Context, q meter.SalesQuery) ([]meter.Sale, error) {
	if err := w.lock(ctx, storeKey(q.Store)); err != nil {
		return nil, err
	}
	return w.reader.Sales(ctx, q)
}

// scanSale reads a row whose first column is the group's key.
func scanSale(rows pgx.Rows, by meter.SaleGroup, s *meter.Sale, counts ...any) error {
	var day time.Time
	key := map[meter.SaleGroup]any{meter.ByDay: &day, meter.ByBuyer: &s.Buyer, meter.ByOffer: (*[16]byte)(&s.Offer)}[by]
	err := rows.Scan(append([]any{key}, counts...)...)
	if by == meter.ByDay {
		s.Day = day.UTC()
	}
	return err
}

// farFuture is later than any time of an entry.
var farFuture = time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC)
