/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Numbers of the command line against the results of strconv.ParseInt(s, 0, 64) and ParseFloat(s, 64) of Go 1.26. */
#include "config.h"
#include "base/text/go_number.h"

#include "tap.h"

#include <math.h>

int main(void)
{
	static const struct { const char *s; int64_t v; } whole[] = {
		{"1_0", 10}, {"0x1F", 31}, {"0X_1f", 31}, {"0b101", 5}, {"0B1", 1}, {"0o17", 15}, {"0O1_7", 15},
		{"017", 15}, {"0_7", 7}, {"0", 0}, {"+5", 5}, {"-5", -5}, {"-0x10", -16},
		{"9223372036854775807", INT64_MAX}, {"-9223372036854775808", INT64_MIN},
	};
	static const char *const no_int[] = {
		"1__0", "_1", "1_", "0x", "08", "1e3", "--5", " 5", "5 ", "9223372036854775808", "1.0", "", "-", "0_x1",
		"0x1_", "infinity", "many",
	};
	static const struct { const char *s; double v; } real[] = {
		{"1_0", 10}, {"1_0.5", 10.5}, {"0.0_5", 0.05}, {"1e1_0", 1e10}, {"0x1p-2", 0.25}, {"0x1.8p1", 3},
		{"0x_1p-2", 0.25}, {"0x1_0p-2", 4}, {"1e-3", 0.001}, {"1E3", 1000}, {".5", 0.5}, {"5.", 5}, {"+.5e1", 5},
		{"inf", INFINITY}, {"-Infinity", -INFINITY}, {"1e-400", 0}, {"0x1p1_0", 1024},
	};
	static const char *const no_real[] = {
		"0x1", "0x1.8", "1e400", "0b1", "1__0", "", " 1", "1d", "1f", "0x.p1", "1e", "infin", "nan(1)", "-nan",
		"+NaN", "1_e3", "1_.5", "1._5", "_1", "1_",
	};
	int64_t i = 0;
	double f = 0;
	for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
		OK(go_parse_int(whole[k].s, &i) && i == whole[k].v);
	for (size_t k = 0; k < sizeof no_int / sizeof *no_int; k++)
		OK(!go_parse_int(no_int[k], &i));
	for (size_t k = 0; k < sizeof real / sizeof *real; k++)
		OK(go_parse_float(real[k].s, &f) && f == real[k].v);
	for (size_t k = 0; k < sizeof no_real / sizeof *no_real; k++)
		OK(!go_parse_float(no_real[k], &f));
	OK(go_parse_float("NaN", &f) && isnan(f));
	return DONE();
}
