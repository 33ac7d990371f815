# Sourced: sets MKE2FS to a mke2fs that makes the same bytes each time (SOURCE_DATE_EPOCH: 1.47.1 and newer).
#   wants: $cache, SUITE, MIRROR
if [ -z "${MKE2FS:-}" ]; then
  have=$(mke2fs -V 2>&1 | sed -n 's/^mke2fs \([0-9.]*\).*/\1/p')
  if dpkg --compare-versions "${have:-0}" ge 1.47.2; then
    MKE2FS=mke2fs
  else
    # This machine's is older: that of trixie, unpacked and run by its own loader.
    tree=$cache/mke2fs
    if [ ! -x "$tree/mke2fs" ]; then
      rm -rf "$tree" && mkdir -p "$tree/root"
      mmdebstrap --quiet --variant=extract --mode=root --format=tar --include=e2fsprogs,libc6 "$SUITE" "$tree/root.tar" \
        "deb $MIRROR $SUITE main" >&2
      tar xf "$tree/root.tar" -C "$tree/root"
      rm "$tree/root.tar"
      lib=$(dirname "$(find "$tree/root/usr/lib" -name 'libext2fs.so.2' | head -n 1)")
      printf '#!/bin/sh\nMKE2FS_CONFIG=%s/etc/mke2fs.conf exec %s/ld-linux-x86-64.so.2 --library-path %s %s/usr/sbin/mke2fs "$@"\n' \
        "$tree/root" "$lib" "$lib" "$tree/root" >"$tree/mke2fs"
      chmod 755 "$tree/mke2fs"
    fi
    MKE2FS=$tree/mke2fs
  fi
fi
