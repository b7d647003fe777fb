-- The costs of searches of stores.

-- {charge.by_buyer} is the table for the charges of a buyer.
charge
