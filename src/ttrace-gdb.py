# SPDX-License-Identifier: MIT
# Printers of gdb for what the store holds:
#   gdb -x src/ttrace-gdb.py --args ./ttrace view -script KEYS FILE
#   print *st                     a struct store: the number of rows of each column
#   print *sn                     a struct snap: the counts below which rows are valid
#   print *$row(sn->st->sheets, "struct sheet_slot", 0).sheet
#                                 a struct sheet: per row the track, and the states of its intervals (src/state.def)
#   print $row(st->trks, "struct trk_row", 7)     one row of a column
#   print $str(st, 12)            a string by its number
# `print/r` shows the struct itself. `set print elements N` limits the rows of a sheet and the intervals of a row.
# Fields are found by their names and types, so a new column or count needs no line here.
import gdb
import gdb.printing

COLUMN_FIRST = 64


def number(value):
    """The value as a Python integer, also of an _Atomic type."""
    return int(value.cast(gdb.lookup_type("long")))


def address(column, i):
    k = (i // COLUMN_FIRST + 1).bit_length() - 1
    base = COLUMN_FIRST * ((1 << k) - 1)
    return number(column["seg"][k]) + (i - base) * number(column["width"])


def row(column, kind, i):
    if i >= number(column["n"]):
        raise gdb.GdbError("the column has %d rows" % number(column["n"]))
    return gdb.Value(address(column, i)).cast(gdb.lookup_type(kind).pointer()).dereference()


def is_number(field):
    return field.type.strip_typedefs().code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL)


class ColumnPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "%d rows of %d bytes" % (number(self.value["n"]), number(self.value["width"]))


class StorePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "store"

    def children(self):
        for field in self.value.type.fields():
            if field.name and str(field.type.strip_typedefs()).startswith("struct data_column"):
                yield field.name, self.value[field.name]
        yield "has_trace", self.value["has_trace"]


class SnapPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "%s snapshot %d" % ("complete" if self.value["complete"] else "growing", number(self.value["serial"]))

    def children(self):
        for field in self.value.type.fields():
            if is_number(field) and field.name not in ("serial", "complete"):
                yield field.name, self.value[field.name]


class SheetPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        v = self.value
        return "sheet of [%d ns, %d ns): %d intervals of %d tracks, %d edges" % tuple(
            number(v[name]) for name in ("t0", "t1", "n", "ntrk", "nedge"))

    def states(self, first, end):
        names = {f.enumval: f.name[3:] for f in gdb.lookup_type("enum tstate").fields()}
        mask, most = 0x3F, gdb.parameter("print elements") or end - first
        text = " ".join(names.get(number(self.value["state"][i]) & mask, "?") for i in range(first, min(end, first + most)))
        return text + (" ..." if end - first > most else "")

    def children(self):
        for i in range(number(self.value["ntrk"])):
            first, end = number(self.value["first"][i]), number(self.value["first"][i + 1])
            yield "track %d" % number(self.value["trk"][i]), self.states(first, end)


class Row(gdb.Function):
    """$row(COLUMN, "struct NAME", I): row I of a struct data_column."""

    def __init__(self):
        super().__init__("row")

    def invoke(self, column, kind, i):
        return row(column, kind.string(), number(i))


class Str(gdb.Function):
    """$str(STORE, ID): the string with this number. STORE is a struct store or a pointer to it."""

    def __init__(self):
        super().__init__("str")

    def invoke(self, store, i):
        if store.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            store = store.dereference()
        s = row(store["strs"], "struct str_row", number(i))
        return s["s"].string(length=number(s["n"]), errors="replace")


printers = gdb.printing.RegexpCollectionPrettyPrinter("ttrace")
for struct, printer in (("data_column", ColumnPrinter), ("store", StorePrinter), ("snap", SnapPrinter), ("sheet", SheetPrinter)):
    printers.add_printer(struct, "^%s$" % struct, printer)
gdb.printing.register_pretty_printer(None, printers, replace=True)
Row()
Str()
