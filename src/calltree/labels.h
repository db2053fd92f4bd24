/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_LABELS_H
#define TTRACE_CALLTREE_LABELS_H

#include "base/intern.h"
#include "base/text/buf.h"
#include "store/store.h"

/*
 * The label sets of samples: samples have few different ones, so what depends on
 * labels alone is asked once per set. Set 0 has no labels. Zero-initialise.
 */
struct labels {
	const struct store *st;
	uint32_t nset;
	struct label_unit { str_id key, unit; } *unit;	/* of numeric keys: the first one met */
	size_t nunit, cunit;
	struct intern units;	/* by key */
};
void labels_update(struct labels *, const struct snap *);	/* takes in what is new */
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
/* The unit that numbers under this key are taken to have: "bytes" and the key itself as pprof has
 * it. */
const char *labels_unit(const struct labels *, str_id key);
/* All values of a key in a set, joined by commas, as pprof writes them. false: there is none. */
bool labels_text(const struct labels *, uint32_t set, str_id key, struct buf *);
/* By label set: does it have this key? NULL: there is no such text. */
uint8_t *labels_with(const struct snap *, const char *key, struct arena *);

#endif
