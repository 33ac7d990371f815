#!/bin/sh
# customize-hook ($1 = chroot): takes out what native.sh put in, and the host name that mmdebstrap copied in.
set -eu
for name in dpkg-deb tar xz zstd cp find cpio gzip openssl; do
  wrapped=$1/usr/bin/$name
  if [ -e "$wrapped.foreign" ]; then
    mv "$wrapped.foreign" "$wrapped"
  elif grep -qs '^exec /\.native/' "$wrapped"; then
    rm "$wrapped" # a wrapper for a program that no package brought
  fi
done
rm -rf "$1/.native" "$1/etc/hostname"
