package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"mneme/acl"
	"mneme/meter"
)

// The sales of a store (?1) in [?2, ?3), through offers up to a label (?4). sold
// are the charges; bought is joined to what the store still has of their entries.
const (
	soldCharges = ` FROM charge c INDEXED BY charge_store`
	joinBought  = ` CROSS JOIN bought b ON b.charge = c.id CROSS JOIN entry e ON e.id = b.entry`
	whereSold   = ` WHERE c.store = ?1 AND c.at >= ?2 AND c.at < ?3 AND c.label <= ?4 AND c.state IN ('pending', 'done')`
	whereKept   = whereSold + ` AND e.store = (SELECT number FROM store WHERE id = ?1)
	AND e.state = 0 AND e.label <= ?4 AND e.in_context AND NOT e.encrypted`
)

// saleKeys are the columns by which sales are grouped. A day is its number since
// 1970 UTC.
var saleKeys = map[meter.SaleGroup]string{
	meter.ByDay:   "c.at / 86400000000",
	meter.ByBuyer: "c.buyer",
	meter.ByOffer: "c.offer",
}

func selectSales(key string) string {
	return "SELECT " + key + ", count(*), sum(c.hits), sum(length(c.entries)) / 16, sum(c.amount)" + soldCharges + whereSold + " GROUP BY 1 ORDER BY 1"
}

func selectDistinct(key string) string {
	return "SELECT " + key + ", count(DISTINCT e.doc)" + soldCharges + joinBought + whereKept + " GROUP BY 1 ORDER BY 1"
}

// Sales implements meter.ChargeReader.
func (r *reader) Sales(ctx context.Context, q meter.SalesQuery) ([]meter.Sale, error) {
	key, ok := saleKeys[q.By]
	if !ok {
		return nil, fmt.Errorf("sqlite: sales cannot be grouped by %q", q.By)
	}
	to := int64(1 << 62)
	if !q.To.IsZero() {
		to = micros(q.To)
	}
	args := []any{q.Store, micros(q.From), to, min(q.Ceiling, acl.Restricted)}
	var sales []meter.Sale
	err := r.each(ctx, func(rows *sql.Rows) error {
		var s meter.Sale
		err := scanSale(rows, q.By, &s, &s.Searches, &s.Hits, &s.Entries, &s.Income)
		sales = append(sales, s)
		return err
	}, selectSales(key), args...)
	if err != nil {
		return nil, err
	}
	next := 0 // both queries have the same order
	err = r.each(ctx, func(rows *sql.Rows) error {
		var s meter.Sale
		if err := scanSale(rows, q.By, &s, &s.Distinct); err != nil {
			return err
		}
		for sales[next].Day != s.Day || sales[next].Buyer != s.Buyer || sales[next].Offer != s.Offer {
			next++
		}
		sales[next].Distinct = s.Distinct
		return nil
	}, selectDistinct(key), args...)
	return sales, err
}

// scanSale reads a row whose first column is the group's key.
func scanSale(rows *sql.Rows, by meter.SaleGroup, s *meter.Sale, counts ...any) error {
	var day int64
	key := map[meter.SaleGroup]any{meter.ByDay: &day, meter.ByBuyer: &s.Buyer, meter.ByOffer: &s.Offer}[by]
	err := rows.Scan(append([]any{key}, counts...)...)
	if by == meter.ByDay {
		s.Day = time.Unix(day*86400, 0).UTC()
	}
	return err
}
