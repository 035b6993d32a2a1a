#!/bin/sh
# npm-tarball NAME VERSION SHA512 DIR: unpacks a package of the npm registry into DIR, if its hash is that one.
# For what replaces the npm that fetches it; npm checks the hashes of what it installs itself.
set -eu
folder=$(mktemp -d)
npm pack --loglevel=error --pack-destination "$folder" "$1@$2" >/dev/null
file=$(ls "$folder"/*.tgz)
echo "$3  $file" | sha512sum --check --quiet
mkdir -p "$4"
tar -xzf "$file" -C "$4" --strip-components=1 --no-same-owner
rm -r "$folder"
