package sqlcommon

import (
	"context"
	"fmt"

	"mneme/meter"
)

// saleStatements are the two statements for each grouping: the first sums over charges, and the
// second counts the distinct entries bought that the store still has.
var saleStatements = map[meter.SaleGroup][2]string{
	meter.ByDay:   {"sale.by_day", "sale.distinct_by_day"},
	meter.ByBuyer: {"sale.by_buyer", "sale.distinct_by_buyer"},
	meter.ByOffer: {"sale.by_offer", "sale.distinct_by_offer"},
}

// Sales implements meter.SaleReader.
func (m MeterReader) Sales(ctx context.Context, q meter.SalesQuery) ([]meter.Sale, error) {
	statements, ok := saleStatements[q.By]
	if !ok {
		return nil, fmt.Errorf("sales cannot be grouped by %q", q.By)
	}
	if err := m.r.InStore(ctx, q.Store); err != nil {
		return nil, err
	}
	args := []any{q.Store, q.From, upTo(q.To), labelBound(q.Ceiling)}
	var sales []meter.Sale
	next := 0 // both queries return groups in the same order
	err := m.r.EachOf(ctx,
		Query{statements[0], args, func(row Row) error {
			var s meter.Sale
			err := scanSale(row, q.By, &s, &s.Searches, &s.Hits, &s.Entries, &s.Income)
			sales = append(sales, s)
			return err
		}},
		Query{statements[1], args, func(row Row) error {
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
