package sqlcommon

import (
	"context"
	"fmt"

	"mneme/meter"
)

// The sales of a store ($1) in [$2, $3), through offers up to a label ($4): its
// charges, and what the store still has of the entries bought with them.
const (
	soldCharges = " FROM charge c /*sqlite INDEXED BY charge_store*/"
	joinBought  = " CROSS JOIN bought b CROSS JOIN entry e"
	whereSold   = ` WHERE c.store = $1 AND c.at >= $2 AND c.at < $3 AND c.label <= $4 AND c.state IN ('pending', 'done')`
	whereKept   = whereSold + ` AND b.charge = c.id AND e.id = b.entry AND e.store = (SELECT number FROM store WHERE id = $1)
	AND e.state = 0 AND e.label <= $4 AND e.in_context AND NOT e.encrypted`
)

// saleKeys are the columns by which sales are grouped.
var saleKeys = map[meter.SaleGroup]string{
	meter.ByDay:   "date_trunc('day', c.at, 'UTC')",
	meter.ByBuyer: "c.buyer",
	meter.ByOffer: "c.offer",
}

func selectSales(key string) string {
	return "SELECT " + key + ", count(*), sum(c.hits)::bigint, sum(cardinality(c.entries))::bigint, sum(c.amount)::bigint" +
		soldCharges + whereSold + " GROUP BY 1 ORDER BY 1"
}

func selectDistinct(key string) string {
	return "SELECT " + key + ", count(DISTINCT e.id)" + soldCharges + joinBought + whereKept + " GROUP BY 1 ORDER BY 1"
}

// Sales implements meter.SaleReader.
func (m MeterReader) Sales(ctx context.Context, q meter.SalesQuery) ([]meter.Sale, error) {
	key, ok := saleKeys[q.By]
	if !ok {
		return nil, fmt.Errorf("sales cannot be grouped by %q", q.By)
	}
	if err := m.r.InStore(ctx, q.Store); err != nil {
		return nil, err
	}
	args := []any{q.Store, q.From, upTo(q.To), labelBound(q.Ceiling)}
	var sales []meter.Sale
	next := 0 // both queries have the same order
	err := m.r.EachOf(ctx,
		Query{selectSales(key), args, func(row Row) error {
			var s meter.Sale
			err := scanSale(row, q.By, &s, &s.Searches, &s.Hits, &s.Entries, &s.Income)
			sales = append(sales, s)
			return err
		}},
		Query{selectDistinct(key), args, func(row Row) error {
			var s meter.Sale
			if err := scanSale(row, q.By, &s, &s.Distinct); err != nil {
				return err
			}
			for sales[next].Day != s.Day || sales[next].Buyer != s.Buyer || sales[next].Offer != s.Offer {
				next++
			}
			sales[next].Distinct = s.Distinct
			return nil
		}})
	return sales, err
}

// scanSale reads a row whose first column is the group's key.
func scanSale(row Row, by meter.SaleGroup, s *meter.Sale, counts ...any) error {
	key := map[meter.SaleGroup]any{meter.ByDay: &s.Day, meter.ByBuyer: &s.Buyer, meter.ByOffer: &s.Offer}[by]
	return row.Scan(append([]any{key}, counts...)...)
}
