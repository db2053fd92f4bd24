module allocations

go 1.26
