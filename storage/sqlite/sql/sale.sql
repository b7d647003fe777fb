-- The sales of a store.

-- {sale.charges} is the table of charges, c, with the index to use.
charge c INDEXED BY charge_store

-- {sale.day} is the day of a charge.
c.at / 86400000000 * 86400000000

-- {sale.entries} is the number of entries of a charge: 16 bytes each.
length(c.entries) / 16
