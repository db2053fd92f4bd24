/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Classification of function names: user code are modules without a dot in their path, dependencies and generic instances,
   not the runtime, the standard library, its internal packages or assembly. */
#include "config.h"
#include "trace/user_code.h"

#include "tap.h"

#include <string.h>

static const char *const packages[] = {
#define PKG(path) path,
#include "trace/go_stdlib.def"
#undef PKG
};

int main(void)
{
	static const char *const user[] = {
		"main.main", "main.(*ledger).reserve", "main.(*heap[go.shape.int]).less", "orders/internal/db.Open",
		"github.com/acme/shop/v2.Run.func1", "golang.org/x/sync/errgroup.(*Group).Go.func1", "logs.Write",
		"netx.Dial", "net/httpx.Serve", "gopkg.in/yaml%2ev3.Marshal", "internalx/a.F", "example.com/net.Dial",
		"cry/internal/a.F", "ne/internal.F",
		"main._Cfunc_sleep",
	};
	static const char *const standard[] = {
		"sync.(*Mutex).Lock", "sync/atomic.(*Int64).Add", "runtime.chanrecv1", "runtime/trace.WithRegion",
		"net/http.(*conn).serve", "slices.SortFunc[go.shape.[]main.T,go.shape.struct { x int }]",
		"internal/poll.(*FD).Read", "crypto/internal/fips140/sha256.block", "encoding/internal/x.F",
		"vendor/golang.org/x/net/http2/hpack.Write", "memeqbody", "type:.eq.main.T", "", "net/internal.F",
	};
	for (size_t i = 0; i < sizeof user / sizeof *user; i++)
		OK(user_code_is_user_function(user[i], strlen(user[i])));
	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
		OK(!user_code_is_user_function(standard[i], strlen(standard[i])));
	for (size_t i = 1; i < sizeof packages / sizeof *packages; i++)	/* sorted, for binary search */
		OK(strcmp(packages[i - 1], packages[i]) < 0);
	static char name[10000];	/* longer than any path */
	memset(name, 'x', sizeof name);
	OK(!user_code_is_user_function(name, sizeof name));
	name[1] = '.';
	OK(user_code_is_user_function(name, sizeof name));
	name[sizeof name / 2] = '/';	/* not looked at */
	OK(user_code_is_user_function(name, sizeof name));
	return DONE();
}
