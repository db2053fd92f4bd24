PeriodType: contentions count
Period: 100
Duration: 1h40
Samples:
contentions/count delay/microseconds
        100      10000: 1 2 
Locations
     1: 0x0 M=1 a.B.c B.java:7:0 s=0
     2: 0x0 M=1 GC :0:0 s=0
Mappings
1: 0x0/0x0/0x0   
