/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_LABELS_H
#define TTRACE_CALLTREE_LABELS_H

#include "base/intern.h"
#include "base/text/buf.h"
#include "store/store.h"

/*
 * The label sets of samples. Few of them differ, so everything that depends on labels alone is computed once per set.
 * Set 0 has no labels. Zero-initialise.
 */
struct labels {
	const struct store *st;
	uint32_t nset;
	struct label_unit { str_id key, unit; } *unit;	/* of a numeric key: its first unit */
	size_t nunit, cunit;
	struct intern units;	/* index of unit[] by key */
};
/* Read the sets that were added since the last call. */
void labels_update(struct labels *, const struct snap *);
void labels_free(struct labels *);

static inline uint32_t labels_n(const struct labels *l, uint32_t set) { return store_set(l->st, set)->n; }
static inline const struct sink_label *labels_at(const struct labels *l, uint32_t set, uint32_t i)
{
	return store_label(l->st, store_set(l->st, set)->label + i);
}
static inline bool label_is_text(const struct sink_label *l)
{
	return l->str || l->blank;
}
/* Return the unit of numbers under this key. If the labels have none it is "bytes" for "alignment" and "request" and
   the key itself for all other keys, as in pprof. */
const char *labels_unit(const struct labels *, str_id key);
/* Append all values of a key in a set, joined by commas, as pprof writes them. Return false if there are none. */
bool labels_text(const struct labels *, uint32_t set, str_id key, struct buf *);
/* Return, by label set, whether it has this key; allocated in the arena. NULL: no string of the store equals the
   key. */
uint8_t *labels_with(const struct snap *, const char *key, struct arena *);

#endif
