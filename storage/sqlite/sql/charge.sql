-- What searches of stores cost.

-- {charge.by_buyer} is the table with the index for the charges of a buyer.
charge INDEXED BY charge_buyer
