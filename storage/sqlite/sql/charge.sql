-- The costs of searches of stores.

-- {charge.by_buyer} is the table with the index for the charges of a buyer.
charge INDEXED BY charge_buyer
