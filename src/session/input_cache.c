/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Bytes that are kept as long as the session. A file is added by the job that
 * reads it, and found when a report asks for its name.
 *
 * The road not taken is to keep the file open, or mapped: programs overwrite
 * old profiles, so an open file shows the new bytes, and a mapping of a file
 * that was cut raises SIGBUS. The bytes of a small profile are a tenth
 * of the program's memory; those of a large one are a tenth to a third of its
 * store. So a large profile is read again. A trace is read again too, because a
 * report needs only its store.
 */
#include "config.h"
#include "session/input_cache.h"

#include "base/mem/mem.h"

#include <string.h>

void input_cache_add(struct cached_inputs *h, const struct cached_input *x)
{
	h->v = mem_grow(h->v, &h->cap, h->n + 1, sizeof *h->v);
	h->v[h->n++] = *x;
}

/* Traces, of which the store is kept, and programs. */
static bool is_large(const struct bytes *b)
{
	return b->n > 5 && (!memcmp(b->p, "go 1.", 5) || !memcmp(b->p, "\177ELF", 4));
}

void input_cache_keep(struct cached_inputs *h, const char *name, const struct bytes *b)
{
	struct cached_input x = {.name = name};
	file_changed_mark_file(&x.mark, name);
	void *p = b->n && b->n <= INPUT_CACHE_FILE_MAX && (!x.mark.known || !is_large(b)) ? mem_try_alloc(b->n) : NULL;
	if (p) {
		memcpy(p, b->p, b->n);
		x.b = (struct bytes){.p = p, .n = b->n, .file_n = b->file_n, .owned = p};
	}
	input_cache_add(h, &x);
}

const struct cached_input *input_cache_find(const struct cached_inputs *h, const char *name)
{
	const struct cached_input *best = NULL;
	for (size_t i = 0; h && i < h->n; i++) {
		if (h->v[i].name == name)
			return &h->v[i];
		if (!strcmp(h->v[i].name, name) && (!best || (h->v[i].base && !best->base)))
			best = &h->v[i];
	}
	return best;
}

int input_cache_open(const struct cached_input *x, struct bytes *b, struct err *e)
{
	uint64_t by;
	*b = (struct bytes){.p = x->b.p, .n = x->b.n, .file_n = x->b.file_n};
	if (x->b.p)
		return 0;
	if (file_changed_check(&x->mark, x->name, &by) == FILE_SAME)
		return 1;
	return err_set(e, ERR_IO, ERR_NOWHERE, "%s has changed since it was read: r reads it again", x->name);
}

void input_cache_free(struct cached_inputs *h)
{
	for (size_t i = 0; i < h->n; i++)
		input_close(&h->v[i].b);
	input_cache_drop(h);
}

void input_cache_drop(struct cached_inputs *h)
{
	mem_free(h->v);
	*h = (struct cached_inputs){0};
}
