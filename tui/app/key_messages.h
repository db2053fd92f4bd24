/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_KEY_MESSAGES_H
#define TTRACE_APP_KEY_MESSAGES_H

#include "app/command.h"
#include "base/text/buf.h"
#include "term/style.h"

struct app;

/* The message line, and what must not be reported twice. */
struct app_status {
	char text[320];
	enum style style;
	bool sticky;		/* the message was set by the key that is being handled */
	bool greeted;		/* the highlights of the file were announced, ... */
	bool notified;		/* ... and the first notice about it */
	uint64_t undecided;	/* regex_undecided() when it was reported */
};

void app_report_not_available(struct app *, enum cmd_id);
bool app_is_trace_command(enum cmd_id);			/* the command only has a meaning in traces */
/* Append the keys that wait for another one, and the count: "#10", "g", "m". */
void app_put_pending(const struct app *, struct buf *);
void app_list_next_keys(struct app *);			/* list the second keys after the first one of two */
void app_list_marks(struct app *);

#endif
