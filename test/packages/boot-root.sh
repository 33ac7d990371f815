#!/bin/bash
# Boots a Debian in a file by its own systemd, without a virtual machine: as process 1 of a process and mount namespace of its
# own. As on the SD image the root is read-only, /tmp has 64 MB, and what must last lies in the folder DATA.
#   usage: unshare --mount --pid --fork --kill-child --propagation private boot-root.sh IMAGE MOUNTPOINT DATA
set -euo pipefail
image=$1 root=$2 data=$3
mkdir -p "$root" "$data"
mount -o loop "$image" "$root"
mount -o remount,ro "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mountpoint -q "$root/sys/fs/cgroup" || mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o size=64m,mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o size=32m tmpfs "$root/var/log"
mount -t tmpfs -o size=96m tmpfs "$root/var/cache"
for folder in etc/platen var/lib/platen var/lib/platen-update var/lib/systemd; do
  mkdir -p "$data/${folder//\//-}"
  cp -a "$root/$folder/." "$data/${folder//\//-}/"
  chown --reference="$root/$folder" "$data/${folder//\//-}"
  chmod --reference="$root/$folder" "$data/${folder//\//-}"
  mount --bind "$data/${folder//\//-}" "$root/$folder"
done
mkdir "$root/run/outside"
cd "$root"
pivot_root . run/outside
exec env -i container=test PATH=/usr/sbin:/usr/bin sh -c \
  'umount -l /run/outside; exec /lib/systemd/systemd --log-target=console --show-status=no systemd.unit=multi-user.target' \
  </dev/null >/run/systemd.log 2>&1
