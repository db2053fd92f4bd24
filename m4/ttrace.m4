dnl SPDX-License-Identifier: MIT
dnl The macros of configure.ac.

dnl TT_CFLAG(flag): add a flag to TT_CFLAGS if the compiler accepts it.
AC_DEFUN([TT_CFLAG], [
	AC_MSG_CHECKING([whether $CC takes $1])
	tt_save=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
		[AC_MSG_RESULT([yes]); TT_CFLAGS="$TT_CFLAGS $1"], [AC_MSG_RESULT([no])])
	CFLAGS=$tt_save
])

dnl TT_HARDEN(compiler flags, linker flags, otherwise, condition): add flags that make attacks harder, if compiler and
dnl linker accept them. Builds with sanitizers do not use them: sanitizers check more, and do not intercept the functions
dnl that _FORTIFY_SOURCE calls. The user's flags are restored before "otherwise" runs, which may be another TT_HARDEN.
AC_DEFUN([TT_HARDEN], [
	AC_MSG_CHECKING([whether $CC takes m4_normalize([$1 $2])])
	tt_save=$CFLAGS tt_saveld=$LDFLAGS
	CFLAGS="$CFLAGS -Werror $1" LDFLAGS="$LDFLAGS $2"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <string.h>
$4], [[char s[64]; memset(s, 1, sizeof s); return s[9];]])],
		[tt_taken=yes], [tt_taken=no])
	AC_MSG_RESULT([$tt_taken])
	CFLAGS=$tt_save LDFLAGS=$tt_saveld
	AS_IF([test "x$tt_taken" = xyes], [
		m4_ifval([$1], [TT_CFLAGS="$TT_CFLAGS $1" tt_hardening="$tt_hardening $1"])
		m4_ifval([$2], [TT_LDFLAGS="$TT_LDFLAGS $2" tt_hardening="$tt_hardening $2"])],
		[$3])
])

dnl The C library ignores _FORTIFY_SOURCE without optimisation, and has no level 3 for older compilers.
m4_define([TT_FORTIFIED], [#if __USE_FORTIFY_LEVEL + 0 < _FORTIFY_SOURCE
#error this level has no effect
#endif])

dnl TT_NEED(variable, module, package): require a library. If it is missing, the error is one line with the name of the
dnl package to install.
AC_DEFUN([TT_NEED], [PKG_CHECK_MODULES([$1], [$2], [],
	[AC_MSG_ERROR([$2 is missing: apt-get install $3 (or run ./bootstrap)])])])

dnl TT_MAY(name, variable, module, package, purpose): use a library if it is installed; --with-NAME requires it.
AC_DEFUN([TT_MAY], [
	AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [do not $5])], [], [with_$1=check])
	AS_IF([test "x$with_$1" != xno], [PKG_CHECK_MODULES([$2], [$3],
		[AC_DEFINE([HAVE_$2], [1], [Define to $5]) with_$1=yes],
		[AS_IF([test "x$with_$1" = xyes], [AC_MSG_ERROR([$3 is missing: apt-get install $4])])
		with_$1=no])])
	AM_CONDITIONAL([$2], [test "x$with_$1" = xyes])])
