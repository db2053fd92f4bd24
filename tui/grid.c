/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Cells, clipping and text.
 */
#include "config.h"
#include "grid.h"

#include "base/mem.h"

void grid_free(struct grid *g)
{
	if (g)
		mem_free(g->cell);
	mem_free(g);
}
