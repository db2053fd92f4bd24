/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names that libiberty takes hours for stay mangled; names with the same letters in identifiers and numbers do not.
 */
#include "config.h"
#include "symbols/demangle.h"

#include "tap.h"

#include <string.h>

#if defined HAVE_LIBIBERTY && defined HAVE_CXA_DEMANGLE
/* want NULL: the name stays mangled. */
static void demangles_to(const char *name, enum demangle_mode mode, const char *want)
{
	struct buf b = {0};
	OK(demangle(&b, name, mode) ? want && !strcmp(buf_str(&b), want) : !want && !b.n);
	buf_free(&b);
}

/* f<int>(A<A<..., ...>, A<..., ...>>...): each A contains the one before twice, by a reference. */
static void expansion(void)
{
	enum { LEVELS = 34 };
	struct buf b = {0};
	buf_puts(&b, "_Z1fIiEvDp1A");
	for (int i = 0; i < LEVELS; i++)
		buf_puts(&b, "IS0_");
	buf_puts(&b, "IiiE");
	for (int i = 1; i <= LEVELS; i++)
		buf_printf(&b, "S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	demangles_to(buf_str(&b), DM_FULL, NULL);
	buf_free(&b);
}

/* A::operator A::operator ... f()::b<...>: each operator is in the argument of another. */
static void conversions(void)
{
	enum { LEVELS = 40 };
	struct buf b = {0};
	buf_puts(&b, "_Z");
	for (int i = 0; i < LEVELS; i++)
		buf_puts(&b, "N1AcvT_IZ");
	buf_puts(&b, "1fv");
	for (int i = 0; i < LEVELS; i++)
		buf_puts(&b, "E1bEEv");
	demangles_to(buf_str(&b), DM_FULL, NULL);
	buf_free(&b);
}

int main(void)
{
	expansion();
	conversions();
	demangles_to("_Z1fIJicEEvDpRKT_", DM_FULL, "void f<int, char>(int const&, char const&)");
	demangles_to("_ZN1AcvT_IiEEv", DM_FULL, "A::operator int<int>()");
	demangles_to("_ZN2cv8cvcvcvcvE2cv", DM_FULL, "cv::cvcvcvcv(cv)");
	demangles_to("_ZN5space1fENS_1AES0_NS_1BES1_NS_1CES2_NS_1DES3_NS_1EES4_NS_1FES5_NS_1GES6_NS_1HES7_NS_1IES8_NS_1JES9_"
	    "NS_1KESA_NS_1LESB_NS_1MESC_NS_1NESD_NS_1OESE_NS_1PESF_NS_1QESG_NS_1RESH_NS_1SESI_NS_1TESJ_", DM_SIMPLE, "space::f");
	demangles_to("_RMIC1aFGzzzzzzzzz_EuEu", DM_FULL, NULL);	/* 62^9 lifetimes */
	demangles_to("_RNvCs1xDGV85I1S7_1a5FGzz_", DM_FULL, "a::FGzz_");
	return DONE();
}
#else
int main(void)
{
	puts("the build demangles without bounds or not at all");
	return 77;
}
#endif
