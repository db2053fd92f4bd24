/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CLI_COMPLETION_H
#define TTRACE_CLI_COMPLETION_H

#include "base/text/buf.h"

#include <stdbool.h>

/* Print the completion script of -print=completion-bash, -zsh, -fish. Return false for another name. */
bool cli_print_completion(struct buf *, const char *what);

#endif
