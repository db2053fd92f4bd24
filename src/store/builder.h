/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_BUILDER_H
#define TTRACE_STORE_BUILDER_H

#include "store/store.h"

/* The sink that fills a store. The thread that calls it is the writer; other functions are marked. */
struct store_builder *builder_new(void);
struct sink builder_sink(struct store_builder *);
const struct snap *builder_snap(const struct store_builder *);	/* the newest published one; any thread */
void builder_set_total(struct store_builder *, uint64_t bytes);	/* size of the input, for progress */
/* Set a function that runs on the writer after each publication and progress; if it returns false, the load is
   cancelled. */
void builder_on_publish(struct store_builder *, bool (*fn)(void *, uint64_t bytes), void *arg);
const struct snap *builder_finish(struct store_builder *);	/* seals the rest; the snapshot is complete */
/* Return the id of a string that an analysis made (the text of a tag). Adds it if the snapshot is complete and no file
   is being added; returns 0 if it cannot. Any thread. */
str_id builder_add_string(const struct snap *, const char *s, size_t n);
/* Results of analyses that are kept until the store is freed. Return that of a key, which is an address; NULL: there is
   none, or the snapshot is not complete. Any thread. */
const void *builder_kept_result(const struct snap *, const void *key);
/* Keep a result, to be freed by free_it(), unless another thread has kept one under this key: then this one is freed.
   Return the one that is kept. The snapshot is complete. Any thread. */
const void *builder_keep_result(const struct snap *, const void *key, void *result, void (*free_it)(void *));
/* Add one more file to a finished store: until builder_publish_reopened() publishes the new rows, builder_add_string()
   adds nothing. Call from the thread that owns the store; a worker may do the writing. */
void builder_reopen(struct store_builder *);
const struct snap *builder_publish_reopened(struct store_builder *);
void builder_free(struct store_builder *);			/* also frees the store */

#endif
