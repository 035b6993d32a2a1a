#!/bin/sh
# A Debian bookworm base system as a tar on stdout, from Debian's packages alone:
#
#   sudo sh ops/docker/debian-base.sh | docker import - opentiger/base:bookworm
#
# Needs root, debootstrap, and this machine's node and npm: they are put into the base, as the registry's base has its
# own, to fetch what the worker image is made of. All of it happens in a tmpfs in a mount namespace of its own, laid
# over /mnt for these processes only: however it ends, nothing is left behind.
set -eu
suite=bookworm
if [ "${1:-}" != inside ]; then
  node=$(readlink -f "$(command -v node)")
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  exec unshare --mount --propagation private -- sh "$0" inside "$node" "$npm"
fi
node=$2
npm=$3
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs -o mode=0755 tmpfs /mnt
debootstrap --variant=minbase --force-check-gpg --include=ca-certificates "$suite" /mnt >&2
mkdir -p /mnt/usr/local/bin /mnt/usr/local/lib/node_modules
cp "$node" /mnt/usr/local/bin/node
cp -r "$npm" /mnt/usr/local/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js /mnt/usr/local/bin/npm
if ! chroot /mnt /usr/local/bin/node --version >&2; then
  echo "this machine's node does not run in a plain $suite: use one of Node's own builds" >&2
  exit 1
fi

# As the registry's slim image: security updates known, no caches, no manuals, no translations.
mirror=$(awk '$1 == "deb" { print $2; exit }' /mnt/etc/apt/sources.list)
security=${mirror%/}-security
printf '%s\n' "deb $mirror $suite main" "deb $mirror $suite-updates main" "deb $security $suite-security main" \
  > /mnt/etc/apt/sources.list
rm -rf /mnt/var/cache/apt/* /mnt/var/lib/apt/lists/* /mnt/var/log/* /mnt/usr/share/man/* /mnt/usr/share/info/* \
  /mnt/usr/share/locale/*
find /mnt/usr/share/doc -type f ! -name copyright -delete
: > /mnt/etc/hostname
rm -f /mnt/etc/resolv.conf
tar -C /mnt --one-file-system --numeric-owner -c .
