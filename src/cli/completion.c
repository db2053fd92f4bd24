/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Completion for the shells, from the tables of options and reports.
 *
 * Each script consists of data from the tables and a few lines that every version
 * of that shell accepts. It uses no completion framework, so it works where none is
 * installed. The values of an option are derived from its argument: "text|tsv|json"
 * is a choice, FILE and DIRS are paths, others are free text.
 */
#include "config.h"
#include "cli/completion.h"

#include "cli/options.h"

#include <string.h>

/* Is the argument a choice like "text|tsv|json": words of small letters and bars? */
static bool is_choice(const char *arg)
{
	return arg && strchr(arg, '|') && !arg[strspn(arg, "abcdefghijklmnopqrstuvwxyz|-0123456789")];
}

/* Print the choice as words. */
static void put_words(struct buf *b, const char *arg)
{
	for (; *arg; arg++)
		buf_putc(b, *arg == '|' ? ' ' : *arg);
}

static void options_words(struct buf *b)
{
	for (int i = 0; i < OPT__N; i++)
		buf_printf(b, "%s-%s%s", i ? " " : "", option_rows[i].name, option_rows[i].kind == 'B' ? "" : "=");
}

static void report_words(struct buf *b)
{
	for (int i = 0; report_rows[i].name; i++)
		buf_printf(b, "%s%s", i ? " " : "", report_rows[i].name);
}

static void print_bash(struct buf *b)
{
	buf_puts(b, "# bash completion for ttrace; made by ttrace -print=completion-bash\n"
		    "_ttrace() {\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} opt= i\n"
		    "\tCOMPREPLY=()\n"
		    "\t# bash takes words apart at =\n"
		    "\tif [[ $cur == = ]]; then\n\t\topt=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
		    "\telif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n\t\topt=${COMP_WORDS[COMP_CWORD-2]}\n"
		    "\telif [[ ${COMP_WORDS[COMP_CWORD-1]} == -* ]]; then\n\t\topt=${COMP_WORDS[COMP_CWORD-1]}\n\tfi\n"
		    "\tcase ${opt#-} in\n");
	for (int i = 0; i < OPT__N; i++)
		if (is_choice(option_rows[i].arg)) {
			buf_printf(
			    b, "\t-%s | %s) COMPREPLY=($(compgen -W '", option_rows[i].name, option_rows[i].name);
			put_words(b, option_rows[i].arg);
			buf_puts(b, "' -- \"$cur\")); return ;;\n");
		}
	buf_puts(b, "\tesac\n\tif [[ $cur == -* ]]; then\n\t\tlocal dash=${cur%%[!-]*}\n\t\tCOMPREPLY=($(compgen -P "
		    "\"${dash#-}\" -W '");
	options_words(b);
	buf_puts(b, "' -- \"-${cur##*(-)}\"))\n"
		    "\t\t[[ ${COMPREPLY[0]-} == *= ]] && type compopt >/dev/null 2>&1 && "
		    "compopt -o nospace 2>/dev/null\n"
		    "\t\treturn\n\tfi\n"
		    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		    "\t\t[[ ${COMP_WORDS[i]} == -* ]] || break\n\tdone\n"
		    "\t((i == COMP_CWORD)) || [[ ${COMP_WORDS[1]} == help ]] && COMPREPLY=($(compgen -W '");
	report_words(b);
	buf_puts(b, "' -- \"$cur\"))\n"
		    "\t# of names of files alone: bash would write -format\\= of an option\n"
		    "\ttype compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null\n"
		    "\tlocal IFS=$'\\n'\n"
		    "\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n"
		    "}\n"
		    "shopt -s extglob\n"
		    "complete -F _ttrace ttrace\n");
}

/* Escape for single quotes of the shell. */
static void put_quoted(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *s);
}

/* Escape also brackets and colons, which _arguments interprets. */
static void zsh_quoted(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr("[]:\\", *s))
			buf_putc(b, '\\');
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *s);
	}
}

static void print_zsh(struct buf *b)
{
	buf_puts(b, "#compdef ttrace\n# zsh completion for ttrace; made by ttrace -print=completion-zsh\n"
		    "_ttrace_reports() {\n\tlocal -a reports\n\treports=(\n");
	for (int i = 0; report_rows[i].name; i++) {
		buf_printf(b, "\t\t'%s:", report_rows[i].name);
		zsh_quoted(b, report_rows[i].help);
		buf_puts(b, "'\n");
	}
	buf_puts(b, "\t)\n\t_describe -t reports report reports\n}\n"
		    "_ttrace_first() {\n\t_ttrace_reports\n\t_files\n}\n"
		    "_ttrace_rest() {\n\tif [[ $words[2] == help ]]; then _ttrace_reports; else _files; "
		    "fi\n}\n_arguments -S \\\n");
	for (int i = 0; i < OPT__N; i++) {
		const struct option_row *o = &option_rows[i];
		buf_printf(b, "\t%s{-,--}%s'%s[", o->kind == 'M' ? "'*'" : "", o->name, o->kind == 'B' ? "" : "=");
		zsh_quoted(b, o->help);
		buf_puts(b, "]");
		if (o->kind != 'B') {
			buf_printf(b, ":%s:", o->name);
			if (is_choice(o->arg)) {
				buf_putc(b, '(');
				put_words(b, o->arg);
				buf_putc(b, ')');
			} else if (o->arg && (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "DIRS"))) {
				buf_puts(b, "_files");
			}
		}
		buf_puts(b, "' \\\n");
	}
	buf_puts(b, "\t'1:report or file:_ttrace_first' \\\n\t'*:file:_ttrace_rest'\n");
}

static void print_fish(struct buf *b)
{
	buf_puts(b, "# fish completion for ttrace; made by ttrace -print=completion-fish\n");
	for (int i = 0; report_rows[i].name; i++) {
		buf_printf(b,
		    "complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a %s -d '",
		    report_rows[i].name);
		put_quoted(b, report_rows[i].help);
		buf_puts(b, "'\n");
	}
	for (int i = 0; i < OPT__N; i++) {
		const struct option_row *o = &option_rows[i];
		buf_printf(b, "complete -c ttrace -o %s -l %s -d '", o->name, o->name);
		put_quoted(b, o->help);
		buf_putc(b, '\'');
		if (is_choice(o->arg)) {
			buf_puts(b, " -x -a '");
			put_words(b, o->arg);
			buf_putc(b, '\'');
		} else if (o->kind != 'B') {
			buf_puts(b, " -r");
		}
		buf_putc(b, '\n');
	}
}

bool cli_print_completion(struct buf *b, const char *what)
{
	static const struct { const char *name; void (*make)(struct buf *); } shells[] = {
	    {"completion-bash", print_bash}, {"completion-zsh", print_zsh}, {"completion-fish", print_fish}};
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (!strcmp(what, shells[i].name)) {
			shells[i].make(b);
			return true;
		}
	return false;
}
