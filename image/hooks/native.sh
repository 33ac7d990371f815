#!/bin/sh
# essential-hook ($1 = chroot): the build machine's own dpkg-deb, tar, xz … run inside the foreign chroot instead of being
# emulated: minutes less. cleanup.sh takes them out again.
set -eu
[ "$(uname -m)" = x86_64 ] || exit 0
native=$1/.native
mkdir -p "$native/lib" "$native/bin"
cp /lib64/ld-linux-x86-64.so.2 "$native/ld.so"
for name in dpkg-deb tar xz zstd cp find cpio gzip openssl; do
  path=$(command -v "$name") || continue
  cp "$path" "$native/bin/$name"
  for lib in $(ldd "$path" | awk '/=> \//{print $3}'); do cp -n "$lib" "$native/lib/"; done
  wrapped=$1/usr/bin/$name
  [ ! -e "$wrapped" ] || mv "$wrapped" "$wrapped.foreign"
  printf '#!/bin/sh\nexec /.native/ld.so --library-path /.native/lib --argv0 %s /.native/bin/%s "$@"\n' "$name" "$name" >"$wrapped"
  chmod 755 "$wrapped"
done
