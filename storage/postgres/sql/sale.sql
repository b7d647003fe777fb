-- The sales of a store.

-- {sale.charges} is the table of charges, c.
charge c

-- {sale.day} is the day of a charge.
date_trunc('day', c.at, 'UTC')

-- {sale.entries} is the number of entries of a charge.
cardinality(c.entries)
