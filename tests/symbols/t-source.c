/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Source files are found by the names that profiles have for them, in a tree of files made for this test. */
#include "config.h"
#include "symbols/source.h"
#include "base/mem/mem.h"
#include "tap.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64] = "/tmp/t-source.XXXXXX";

static void make(const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof full, "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/')
		*p = 0, mkdir(full, 0700);
	FILE *f = fopen(full, "w");
	OK(f && fputs(text, f) >= 0 && !fclose(f));
}

/* Return the path of a source below root, or NULL if it is not found. how: the expected way of finding it, NULL: any. */
static const char *find(struct source_cache *s, const char *name, const char *how)
{
	const struct source *f = source_cache_get(s, name);
	OK(f == source_cache_get(s, name));		/* cached */
	OK(!f->path == (f->err != NULL));
	if (how)
		OK(f->path && !strcmp(f->how, how));
	return f->path && !strncmp(f->path, root, strlen(root)) ? f->path + strlen(root) + 1
								: f->path;
}

#define IS(got, want) OK((got) && !strcmp((got), (want)))

static void searches(void)
{
	char dir[128], env[128], prof[128];
	snprintf(dir, sizeof dir, "%s/work/deep/app", root);
	snprintf(env, sizeof env, "%s/go", root);
	snprintf(prof, sizeof prof, "%s/profiles/cpu.pb.gz", root);
	setenv("GOROOT", env, 1);
	snprintf(env, sizeof env, "%s/mod", root);
	setenv("GOMODCACHE", env, 1);
	struct source_cache *s = source_cache_new(&(struct source_cache_conf){
	    .source_path = dir, .trim_path = "/ci/build:/x/", .beside = prof});
	IS(find(s, "pkg/a.go", "-source_path"), "work/deep/app/pkg/a.go");
	IS(find(s, "up.go", "-source_path"), "work/up.go");	/* in a parent folder */
	IS(find(s, "/ci/build/pkg/a.go", "-source_path"), "work/deep/app/pkg/a.go");
	IS(find(s, "/x/pkg/a.go", "-source_path"), "work/deep/app/pkg/a.go");
	IS(find(s, "/home/me/elsewhere/pkg/a.go", "by the end of its path"),
	    "work/deep/app/pkg/a.go");
	IS(find(s, "encoding/json/decode.go", "GOROOT"), "go/src/encoding/json/decode.go");
	IS(find(s, "/opt/go/src/encoding/json/decode.go", "GOROOT"),
	    "go/src/encoding/json/decode.go");
	IS(find(s, "github.com/Foo/Bar@v1.2.0/B.go", "module cache"),
	    "mod/github.com/!foo/!bar@v1.2.0/B.go");
	IS(find(s, "/root/go/pkg/mod/github.com/Foo/Bar@v1.2.0/B.go", "module cache"),
	    "mod/github.com/!foo/!bar@v1.2.0/B.go");
	IS(find(s, "x.org/v@v0.1.0/v.go", "vendor"), "work/deep/app/vendor/x.org/v/v.go");
	IS(find(s, "x.org/v/v.go", "vendor"), "work/deep/app/vendor/x.org/v/v.go");
	IS(find(s, "near.go", "next to the profile"), "profiles/near.go");
	OK(!find(s, "/nowhere/main.go", NULL)); /* one equal component at the end of a path is not enough */
	OK(!strcmp(source_cache_get(s, "/nowhere/main.go")->err,
	    "open /nowhere/main.go: no such file or directory"));
	OK(strstr(source_cache_get(s, "/nowhere/main.go")->tried, "/nowhere/main.go"));
	OK(!find(s, "/dev/zero", NULL) && !find(s, "/", NULL) && !find(s, "", NULL));
	source_cache_free(s);

	s = source_cache_new(&(struct source_cache_conf){.source_path = dir, .strict = true});
	IS(find(s, "pkg/a.go", NULL), "work/deep/app/pkg/a.go");
	IS(find(s, "/other/place/app/pkg/a.go", NULL),
	    "work/deep/app/pkg/a.go"); /* the path behind the name of the folder */
	OK(!find(s, "encoding/json/decode.go", NULL));
	char want[256];
	snprintf(want, sizeof want, "could not find file encoding/json/decode.go on path %s", dir);
	OK(!strcmp(source_cache_get(s, "encoding/json/decode.go")->err, want));
	source_cache_free(s);
}

/* Of a path with more components than real ones the last are tried; a name longer than any path is not searched for. */
static void long_names(void)
{
	char dir[128], tails[2 * 100 + sizeof "pkg/a.go"] = "", longest[1 << 14];
	snprintf(dir, sizeof dir, "%s/work/deep/app", root);
	struct source_cache *s = source_cache_new(&(struct source_cache_conf){.source_path = dir});
	for (int i = 0; i < 100; i++)
		strcat(tails, "x/");
	strcat(tails, "pkg/a.go");
	IS(find(s, tails, "by the end of its path"), "work/deep/app/pkg/a.go");
	for (size_t i = 0; i < sizeof longest; i++)
		longest[i] = i % 2 ? '/' : 'x';
	longest[sizeof longest - 1] = 0;
	OK(!find(s, longest, NULL) && !*source_cache_get(s, longest)->tried);
	source_cache_free(s);
}

static void lines(void)
{
	char dir[128];
	size_t n;
	snprintf(dir, sizeof dir, "%s/lines", root);
	struct source_cache *s = source_cache_new(&(struct source_cache_conf){.source_path = dir, .strict = true});
	const struct source *f = source_cache_get(s, "three.c");
	OK(f->nline == 3 && !source_line(f, 0, &n) && !source_line(f, 4, &n) &&
	    !source_line(f, INT64_MIN, &n));
	const char *p = source_line(f, 1, &n);
	OK(p && n == 2 && !memcmp(p, "ab", 2));
	p = source_line(f, 2, &n);
	OK(p && n == 0);
	p = source_line(f, 3, &n);
	OK(p && n == 5 && !memcmp(p, "\tx\ty\033", 5));
	struct buf b = {0};
	source_expand(&b, p, n);
	IS(buf_str(&b), "        x       y\\x1b");
	f = source_cache_get(s, "empty.c");
	OK(f->path && f->nline == 0 && !source_line(f, 1, &n));
	buf_free(&b);
	source_cache_free(s);
}

int main(void)
{
	if (!mkdtemp(root))
		return 77;
	make("work/deep/app/pkg/a.go", "package pkg\n");
	make("work/up.go", "package up\n");
	make("work/deep/app/vendor/x.org/v/v.go", "package v\n");
	make("go/src/encoding/json/decode.go", "package json\n");
	make("go/src/runtime/proc.go", "package runtime\n");
	make("mod/github.com/!foo/!bar@v1.2.0/B.go", "package bar\n");
	make("profiles/near.go", "package near\n");
	make("lines/three.c", "ab\r\n\n\tx\ty\033");
	make("lines/empty.c", "");
	searches();
	long_names();
	lines();
	char cmd[128];
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
	OK(system(cmd) == 0);
	return DONE();
}
