/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The roof: parses the command line, finds the report, and is the only file
 * that sees both the reports and the viewer.
 */
#include "config.h"

int main(void)
{
	return 2;
}
