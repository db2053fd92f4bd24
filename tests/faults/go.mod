module faults

go 1.22
