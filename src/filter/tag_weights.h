/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_WEIGHTS_H
#define TTRACE_FILTER_TAG_WEIGHTS_H

#include "base/text/buf.h"
#include "filter/weigh.h"

/*
 * The labels of the samples that a query leaves, with their weights: pprof's tags. Keys and values are sorted, heaviest
 * first.
 */
struct tag_value {
	str_id str;		/* the text, if text is set */
	bool text;
	int64_t num;
	int64_t weight, other;	/* other: the other column of a difference */
};
struct tag_key {
	str_id key;
	const char *unit;	/* unit of its numbers */
	int64_t weight, other;	/* of all samples that have the key */
	uint32_t first, n;	/* its values are value[first .. first+n) */
};
struct tags {
	struct arena arena;
	const struct store *st;
	struct tag_key *key;
	struct tag_value *value;
	uint32_t nkey, nvalue;
	int64_t total, other;	/* of all samples that count */
	str_id unit;
	bool two;
	enum side_show show;
};
struct tags *tag_weights_new(
    const struct snap *, const struct compiled_filters *, size_t type, bool noinlines, const struct sides *);
void tag_weights_free(struct tags *);

/* Append the value for people; append the tagfocus expression that matches only this value. */
void tag_text(const struct tags *, const struct tag_key *, const struct tag_value *, struct buf *);
void tag_filter(const struct tags *, const struct tag_key *, const struct tag_value *, struct buf *);
/* Set key[] to the label keys of the snapshot, at most max, in the order in which they occur. Return their number. */
size_t tag_keys(const struct snap *, str_id *key, size_t max);

#endif
