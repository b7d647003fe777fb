-- What searches of stores cost.

-- {charge.by_buyer} is the table for the charges of a buyer.
charge
