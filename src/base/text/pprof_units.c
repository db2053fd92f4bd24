/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The units of pprof. A kind of quantity is a row of units in ascending order with their aliases and a factor to the
 * base unit. A name is looked up in lower case and without the plural s. Values are scaled as double, multiplication
 * first: the order matters, because the last printed digit must equal that of pprof.
 */
#include "config.h"
#include "base/text/pprof_units.h"

#include "base/wrap_math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name, *alias[4];
	double factor;
};

struct unit_kind {
	const char *dflt;	/* used if no unit fits */
	double dflt_factor;
	struct unit unit[10];
};

static const struct unit_kind kinds[] = {
	{"B", 1, {
		{"B", {"b", "byte"}, 1},
		{"kB", {"kb", "kbyte", "kilobyte"}, 1024.0},
		{"MB", {"mb", "mbyte", "megabyte"}, 1048576.0},
		{"GB", {"gb", "gbyte", "gigabyte"}, 1073741824.0},
		{"TB", {"tb", "tbyte", "terabyte"}, 1099511627776.0},
		{"PB", {"pb", "pbyte", "petabyte"}, 1125899906842624.0},
	}},
	{"s", 1e9, {
		{"ns", {"ns", "nanosecond"}, 1},
		{"us", {"\316\274s", "us", "microsecond"}, 1e3},
		{"ms", {"ms", "millisecond"}, 1e6},
		{"s", {"s", "sec", "second"}, 1e9},
		{"hrs", {"hour", "hr"}, 3600e9},
	}},
	{"GCU", 1, {
		{"n*GCU", {"nanogcu"}, 1e-9},
		{"u*GCU", {"microgcu"}, 1e-6},
		{"m*GCU", {"milligcu"}, 1e-3},
		{"GCU", {"gcu"}, 1},
		{"k*GCU", {"kilogcu"}, 1e3},
		{"M*GCU", {"megagcu"}, 1e6},
		{"G*GCU", {"gigagcu"}, 1e9},
		{"T*GCU", {"teragcu"}, 1e12},
		{"P*GCU", {"petagcu"}, 1e15},
	}},
};
enum { NKINDS = sizeof kinds / sizeof kinds[0] };

static const struct unit *unit_find(const struct unit_kind *k, const char *name)
{
	char low[24];
	size_t n = strlen(name);
	if (n >= sizeof low)
		return NULL;
	for (size_t i = 0; i <= n; i++)
		low[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	if (n > 2 && low[n - 1] == 's')
		low[n - 1] = 0;
	for (const struct unit *u = k->unit; u < k->unit + 10 && u->name; u++)
		for (int i = 0; i < 4 && u->alias[i]; i++)
			if (*u->alias[i] == *low && !strcmp(u->alias[i], low))
				return u;
	return NULL;
}

/* Return the largest unit in which v is at least 1; NULL: none. */
static const struct unit *unit_best(const struct unit_kind *k, double v)
{
	const struct unit *best = NULL;
	for (const struct unit *u = k->unit; u < k->unit + 10 && u->name; u++)
		if ((!best || u->factor >= best->factor) && v / u->factor >= 1)
			best = u;
	return best;
}

static bool is_automatic(const char *to)
{
	return !strcmp(to, "minimum") || !strcmp(to, "auto");
}

double pprof_units_scale(int64_t v, const char *from, const char *to, const char **unit)
{
	const char *ignored;
	if (!unit)
		unit = &ignored;
	if (v < 0 && v != INT64_MIN)
		return -pprof_units_scale(-v, from, to, unit);
	for (const struct unit_kind *k = kinds; k < kinds + NKINDS; k++) {
		const struct unit *f = unit_find(k, from);
		if (!f)
			continue;
		double d = (double)v * f->factor;
		const struct unit *t = is_automatic(to) ? unit_best(k, d) : unit_find(k, to);
		*unit = t ? t->name : k->dflt;
		return d / (t ? t->factor : k->dflt_factor);
	}
	static const char *const plain[] = {"count", "sample", "unit", "minimum", "auto"};
	*unit = to;
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (!strcmp(to, plain[i]))
			*unit = "";
	return (double)v;
}

void pprof_units_label(struct buf *b, int64_t v, const char *from, const char *to)
{
	char num[400];
	const char *unit;
	double d = pprof_units_scale(v, from, to, &unit);
	int n = snprintf(num, sizeof num, "%.2f", d);
	if (n > 3 && !strcmp(num + n - 3, ".00"))
		num[n -= 3] = 0;
	if (!strcmp(num, "0") || !strcmp(num, "-0")) {
		buf_putc(b, '0');
		return;
	}
	buf_put(b, num, (size_t)n);
	buf_puts(b, unit);
}

void pprof_units_percent(struct buf *b, int64_t value, int64_t total)
{
	double ratio = total ? fabs((double)value / (double)total) * 100 : 0;
	if (ratio >= 99.95 && ratio <= 100.05)
		buf_puts(b, "  100%");
	else
		buf_printf(b, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
}

bool pprof_units_compatible(const char *a, const char *b)
{
	if (!strcmp(a, b))
		return true;
	for (const struct unit_kind *k = kinds; k < kinds + NKINDS; k++)
		if (unit_find(k, a) && unit_find(k, b))
			return true;
	return false;
}

/* Append v / 10^digits without trailing zeros of the fraction. */
static void put_fraction(struct buf *b, uint64_t v, unsigned digits)
{
	char frac[24];
	unsigned n = digits;
	for (unsigned i = digits; i--; v /= 10)
		frac[i] = (char)('0' + v % 10);
	while (n && frac[n - 1] == '0')
		n--;
	buf_u64(b, v);
	if (n) {
		buf_putc(b, '.');
		buf_put(b, frac, n);
	}
}

static void put_duration(struct buf *b, int64_t ns)
{
	uint64_t u = wrap_size(ns);
	if (ns < 0)
		buf_putc(b, '-');
	if (!u) {
		buf_puts(b, "0s");
	} else if (u < 1000) {
		buf_u64(b, u);
		buf_puts(b, "ns");
	} else if (u < 1000000) {
		put_fraction(b, u, 3);
		buf_puts(b, "\302\265s");
	} else if (u < 1000000000) {
		put_fraction(b, u, 6);
		buf_puts(b, "ms");
	} else {
		uint64_t h = u / 3600000000000u, m = u / 60000000000u % 60;
		if (h)
			buf_printf(b, "%lluh", (unsigned long long)h);
		if (h || m)
			buf_printf(b, "%llum", (unsigned long long)m);
		put_fraction(b, u % 60000000000u, 9);
		buf_putc(b, 's');
	}
}

void pprof_units_duration(struct buf *b, int64_t ns, size_t runes)
{
	size_t from = b->n;
	put_duration(b, ns);
	for (size_t i = from; i < b->n; i++)
		if (((unsigned char)b->p[i] & 0xc0) != 0x80 && !runes--) {
			b->n = i;
			return;
		}
}

int64_t pprof_units_to_i64(double v)
{
	return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (int64_t)v : INT64_MIN;
}
