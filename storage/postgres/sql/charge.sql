-- The costs of searches of stores.

-- {charge.by_buyer} is the table from which charge.standing selects the charges of a buyer.
charge
