# SPDX-License-Identifier: MIT
# Functions of .ci/bare, .ci/package, .ci/cross and .ci/empty-root for new root file systems, which have nothing of this
# machine. Sourced.

# as_root ARGUMENT...: continue as root, with sudo where that is needed
as_root() {
	if [ "$(id -u)" != 0 ]; then
		exec sudo -n --preserve-env=TTRACE "$0" "$@"
	fi
}

# sources FOLDER: copy what git tracks to it, as it is now, without .git
sources() {
	mkdir -p "$1"
	git -C "$top" -c safe.directory="$top" ls-files -z --cached | tar -C "$top" --null -T - -c | tar -x -C "$1"
}

# inside ROOT COMMAND...: run a command in a root, with its own process namespace and /tmp and an empty environment. Its mounts
# end with the command.
inside() {
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --pid --fork --kill-child bash -euc '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs -o mode=1777 tmp "$root/tmp"
		exec env -i HOME=/root TERM=xterm VERBOSE=1 DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"' - "$@" </dev/null
}
