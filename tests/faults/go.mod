module faults

go 1.25
