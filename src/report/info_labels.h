/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_INFO_LABELS_H
#define TTRACE_REPORT_INFO_LABELS_H

#include "base/text/buf.h"
#include "store/store.h"

typedef void info_label_fn(void *, const struct str_row *key, const char *text, size_t n);
/* Call fact for each label key of a profile with the texts that have most weight: "state", "chan send 94, ...". */
void info_labels(const struct snap *, info_label_fn *, void *arg);

#endif
