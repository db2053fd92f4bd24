/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The profiles of grow.h, written message by message; the string table is collected and written at the end. Ids of
 * strings, functions, locations and mappings are numbers from 1. All files are valid, because code behind the checks
 * that refuse damaged files must be measured, too. The last ones are heap profiles as text.
 */
#include "config.h"
#include "grow.h"

enum {	/* fields of profile.proto */
	SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, COMMENT = 13,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL, LOCATION_LINE = 4
};

static struct buf strings;	/* the messages of the string table */
static uint64_t nstrings;

static void field(struct buf *b, int id, uint64_t v)
{
	buf_varint(b, (uint64_t)id << 3);
	buf_varint(b, v);
}

/* Append a message, and empty it. */
static void message(struct buf *b, int id, struct buf *m)
{
	buf_varint(b, (uint64_t)id << 3 | 2);
	buf_varint(b, m->n);
	buf_put(b, m->p, m->n);
	buf_reset(m);
}

/* Return the id of a new string. */
static uint64_t string(const char *prefix, size_t number)
{
	struct buf s = {0};
	buf_puts(&s, prefix);
	buf_u64(&s, number);
	message(&strings, STRING, &s);
	buf_free(&s);
	return nstrings++;
}

static void start_profile(void)
{
	struct buf empty = {0};
	buf_reset(&strings);
	message(&strings, STRING, &empty);
	nstrings = 1;
}

static void end_profile(struct buf *file)
{
	buf_put(file, strings.p, strings.n);
	buf_free(&strings);
	strings = (struct buf){0};
}

static void sample_types(struct buf *file, size_t n)
{
	struct buf m = {0};
	for (size_t i = 0; i < n; i++) {
		field(&m, 1, string("type", i));
		field(&m, 2, string("unit", i));
		message(file, SAMPLE_TYPE, &m);
	}
	buf_free(&m);
}

static void mapping(struct buf *file, uint64_t id)
{
	struct buf m = {0};
	field(&m, 1, id);
	field(&m, 2, id << 20);
	field(&m, 3, (id + 1) << 20);
	field(&m, 5, string("/lib/part", id));
	field(&m, 6, string("build", id));
	message(file, MAPPING, &m);
	buf_free(&m);
}

/* Append a location whose lines are in n functions from id `first` on. */
static void location(struct buf *file, uint64_t id, uint64_t map, uint64_t first, size_t n)
{
	struct buf m = {0}, line = {0};
	field(&m, 1, id);
	field(&m, 2, map);
	field(&m, 3, ((map ? map : 1) << 20) + id);
	for (uint64_t f = first; f < first + n; f++) {
		field(&line, 1, f);
		field(&line, 2, 10 + f % 7);
		message(&m, LOCATION_LINE, &line);
	}
	message(file, LOCATION, &m);
	buf_free(&m);
	buf_free(&line);
}

static void functions(struct buf *file, size_t n)
{
	struct buf m = {0};
	for (uint64_t id = 1; id <= n; id++) {
		field(&m, 1, id);
		field(&m, 2, string("main.f", id));
		field(&m, 4, string("/src/file.go", id));
		message(file, FUNCTION, &m);
	}
	buf_free(&m);
}

/* Append the locations of a stack, leaf first: n ids from `first` on. */
static void stack(struct buf *sample, uint64_t first, size_t n)
{
	for (uint64_t id = first; id < first + n; id++)
		field(sample, SAMPLE_LOCATION, id);
}

static void label(struct buf *sample, uint64_t key, uint64_t str, uint64_t num, uint64_t unit)
{
	struct buf m = {0};
	field(&m, 1, key);
	if (str)
		field(&m, 2, str);
	else
		field(&m, 3, num);
	if (unit)
		field(&m, 4, unit);
	message(sample, SAMPLE_LABEL, &m);
	buf_free(&m);
}

/* Start a profile with one function and one location, and a sample that the caller fills and ends. */
static void small_profile(struct buf *file, struct buf *s)
{
	start_profile();
	sample_types(file, 1);
	functions(file, 1);
	location(file, 1, 0, 1, 1);
	stack(s, 1, 1);
	field(s, SAMPLE_VALUE, 5);
}

static void end_sample(struct buf *file, struct buf *s)
{
	message(file, SAMPLE, s);
	buf_free(s);
	*s = (struct buf){0};
}

static void make_labels(struct buf *file, size_t n)
{
	struct buf s = {0};
	small_profile(file, &s);
	for (size_t i = 0; i < n; i++)
		label(&s, string("key", i), string("value", i), 0, 0);
	end_sample(file, &s);
	end_profile(file);
}

static void make_label_values(struct buf *file, size_t n)
{
	struct buf s = {0};
	small_profile(file, &s);
	uint64_t key = string("key", 1);
	for (size_t i = 0; i < n; i++)
		label(&s, key, string("value", i), 0, 0);
	end_sample(file, &s);
	end_profile(file);
}

static void make_label_numbers(struct buf *file, size_t n)
{
	struct buf s = {0};
	small_profile(file, &s);
	uint64_t key = string("key", 1);
	for (size_t i = 0; i < n; i++)
		label(&s, key, 0, i + 1, string("unit", i));
	end_sample(file, &s);
	end_profile(file);
}

/* Each sample has a different value of one label. */
static void make_labelled_samples(struct buf *file, size_t n)
{
	struct buf s = {0};
	small_profile(file, &s);
	uint64_t key = string("key", 1);
	for (size_t i = 0; i < n; i++) {
		if (i) {
			stack(&s, 1, 1);
			field(&s, SAMPLE_VALUE, i);
		}
		label(&s, key, string("value", i), 0, 0);
		end_sample(file, &s);
	}
	end_profile(file);
}

/* Each sample has a label with a different key. */
static void make_sample_keys(struct buf *file, size_t n)
{
	struct buf s = {0};
	small_profile(file, &s);
	for (size_t i = 0; i < n; i++) {
		if (i) {
			stack(&s, 1, 1);
			field(&s, SAMPLE_VALUE, i);
		}
		label(&s, string("key", i), string("value", i), 0, 0);
		end_sample(file, &s);
	}
	end_profile(file);
}

static void make_lines(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, n);
	location(file, 1, 0, 1, n);
	stack(&s, 1, 1);
	field(&s, SAMPLE_VALUE, 5);
	end_sample(file, &s);
	end_profile(file);
}

void grow_long_name(struct buf *file, size_t n)
{
	struct buf s = {0}, name = {0}, m = {0}, line = {0};
	start_profile();
	sample_types(file, 1);
	buf_pad(&name, 'a', n);
	field(&m, 1, 1);
	field(&m, 2, string(buf_str(&name), 1));
	message(file, FUNCTION, &m);
	for (uint64_t id = 1; id <= n; id++) {
		field(&m, 1, id);
		field(&line, 1, 1);
		field(&line, 2, id);
		message(&m, LOCATION_LINE, &line);
		message(file, LOCATION, &m);
		stack(&s, id, 1);
		field(&s, SAMPLE_VALUE, 5);
		end_sample(file, &s);
	}
	end_profile(file);
	buf_free(&name);
	buf_free(&m);
	buf_free(&line);
}

/* All inlined calls of one location are of the same function. */
static void make_same_lines(struct buf *file, size_t n)
{
	struct buf s = {0}, m = {0}, line = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, 1);
	field(&m, 1, 1);
	for (size_t i = 0; i < n; i++) {
		field(&line, 1, 1);
		field(&line, 2, i + 1);
		message(&m, LOCATION_LINE, &line);
	}
	message(file, LOCATION, &m);
	stack(&s, 1, 1);
	field(&s, SAMPLE_VALUE, 5);
	end_sample(file, &s);
	end_profile(file);
	buf_free(&m);
	buf_free(&line);
}

/* Each mapping has one location, and each location one sample. */
static void make_mappings(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, 1);
	for (uint64_t id = 1; id <= n; id++) {
		mapping(file, id);
		location(file, id, id, 1, 1);
		stack(&s, id, 1);
		field(&s, SAMPLE_VALUE, 5);
		end_sample(file, &s);
	}
	end_profile(file);
}

static void make_functions(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, n);
	for (uint64_t id = 1; id <= n; id++) {
		location(file, id, 0, id, 1);
		stack(&s, id, 1);
		field(&s, SAMPLE_VALUE, id);
		end_sample(file, &s);
	}
	end_profile(file);
}

/* n locations whose ids have the same place in a u64_map of any size: times its factor, both halves are equal. */
static void make_colliding_ids(struct buf *file, size_t n)
{
	static const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, 1);
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t id = (i << 32 | i) * inverse;
		location(file, id, 0, 1, 1);
		stack(&s, id, 1);
		field(&s, SAMPLE_VALUE, i);
		end_sample(file, &s);
	}
	end_profile(file);
}

/* n locations whose ids differ only in as many of the highest bits as are necessary. */
static void make_high_ids(struct buf *file, size_t n)
{
	struct buf s = {0};
	int low = 64;
	while (n >> (64 - low))
		low--;
	start_profile();
	sample_types(file, 1);
	functions(file, 1);
	for (uint64_t i = 1; i <= n; i++) {
		location(file, i << low, 0, 1, 1);
		stack(&s, i << low, 1);
		field(&s, SAMPLE_VALUE, i);
		end_sample(file, &s);
	}
	end_profile(file);
}

static void make_sample_types(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, n);
	functions(file, 1);
	location(file, 1, 0, 1, 1);
	stack(&s, 1, 1);
	for (size_t i = 0; i < n; i++)
		field(&s, SAMPLE_VALUE, i + 1);
	end_sample(file, &s);
	end_profile(file);
}

static void make_comments(struct buf *file, size_t n)
{
	struct buf s = {0};
	small_profile(file, &s);
	for (size_t i = 0; i < n; i++)
		field(file, COMMENT, string("comment ", i));
	end_sample(file, &s);
	end_profile(file);
}

static void make_frames(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, n);
	for (uint64_t id = 1; id <= n; id++)
		location(file, id, 0, id, 1);
	stack(&s, 1, n);
	field(&s, SAMPLE_VALUE, 5);
	end_sample(file, &s);
	end_profile(file);
}

/* One function calls itself. */
static void make_recursion(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, 1);
	location(file, 1, 0, 1, 1);
	for (size_t i = 0; i < n; i++)
		field(&s, SAMPLE_LOCATION, 1);
	field(&s, SAMPLE_VALUE, 5);
	end_sample(file, &s);
	end_profile(file);
}

/* Stacks of two frames with the same root frame. */
static void make_stacks(struct buf *file, size_t n)
{
	struct buf s = {0};
	start_profile();
	sample_types(file, 1);
	functions(file, n + 1);
	location(file, n + 1, 0, n + 1, 1);
	for (uint64_t id = 1; id <= n; id++) {
		location(file, id, 0, id, 1);
		stack(&s, id, 1);
		stack(&s, n + 1, 1);
		field(&s, SAMPLE_VALUE, 5);
		end_sample(file, &s);
	}
	end_profile(file);
}

/* Attributes of the memory map of an old profile, and a line of it that has many $. */
static void make_old_attributes(struct buf *file, size_t n)
{
	buf_puts(file, "heap profile: 1: 1 [1: 1] @ heap/1\n1: 1 [1: 1] @ 0x1\nMAPPED_LIBRARIES:\n");
	for (size_t i = 0; i < n; i++)
		buf_printf(file, "v%zu=b\n", i);
	buf_pad(file, '$', n);
	buf_putc(file, '\n');
}

/* An old profile of n addresses, with a memory map of n files in which none of them is. */
static void make_old_mappings(struct buf *file, size_t n)
{
	buf_puts(file, "heap profile: 1: 1 [1: 1] @ heap/1\n");
	for (size_t i = 0; i < n; i++)
		buf_printf(file, "1: 1 [1: 1] @ 0x%zx\n", 0x700000000000 + 16 * i);
	buf_puts(file, "MAPPED_LIBRARIES:\n");
	for (size_t i = 1; i <= n; i++)
		buf_printf(file, "%zx-%zx r-xp 00000000 00:00 0 /lib/l%zu\n", i << 13, (i << 13) + 0x1000, i);
}

/* Append a profile with a function whose name is `head` and n times `part`. */
static void long_name(struct buf *file, size_t n, const char *head, const char *part)
{
	struct buf s = {0}, m = {0}, name = {0};
	small_profile(file, &s);
	buf_puts(&name, head);
	for (size_t i = 0; i < n; i++)
		buf_puts(&name, part);
	field(&m, 1, 2);
	field(&m, 2, string(buf_str(&name), 1));
	message(file, FUNCTION, &m);
	location(file, 2, 0, 2, 1);
	stack(&s, 2, 1);
	end_sample(file, &s);
	end_profile(file);
	buf_free(&m);
	buf_free(&name);
}

static void make_scopes(struct buf *file, size_t n) { long_name(file, n, "", "a::"); }
static void make_receivers(struct buf *file, size_t n) { long_name(file, n, "x.", "(a)."); }
/* The separator of a path of calls is also in the name. */
static void make_separators(struct buf *file, size_t n) { long_name(file, n, "main.", "a > "); }

#define KIND(name) {#name, make_##name}
const struct grow_kind grow_profiles[] = {
	KIND(labels), KIND(label_values), KIND(label_numbers), KIND(labelled_samples), KIND(sample_keys),
	KIND(lines), KIND(same_lines), KIND(mappings), KIND(functions), KIND(sample_types), KIND(comments),
	KIND(frames), KIND(recursion), KIND(stacks), KIND(old_attributes), KIND(old_mappings), KIND(scopes),
	KIND(receivers), KIND(separators), KIND(colliding_ids), KIND(high_ids),
	{0},
};
