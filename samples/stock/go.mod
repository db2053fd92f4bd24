module stock

go 1.22
