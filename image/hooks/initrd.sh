#!/bin/sh
# customize-hook ($1 = chroot): the one initramfs, then raspi-firmware's own hook, which fills /boot/firmware with
# firmware, dtbs, kernel, initramfs and config.txt. That hook runs only with DEB_MAINT_PARAMS=configure and needs both
# vmlinuz and initrd in /boot.
set -eu
printf 'CMA=0\nROOTPART=LABEL=platen-root\nCONSOLES="tty0 ttyS1,115200"\n' >>"$1/etc/default/raspi-firmware"
chroot "$1" update-initramfs -c -k all
# Kernels of backports keep their device trees among the modules, where the firmware's hook does not look; newer ones have a
# link there.
for trees in "$1"/usr/lib/modules/*/dtb/broadcom; do
  [ -d "$trees" ] || continue
  version=$(basename "$(dirname "$(dirname "$trees")")")
  [ ! -e "$1/usr/lib/linux-image-$version/broadcom" ] || continue
  mkdir -p "$1/usr/lib/linux-image-$version"
  cp -r "$trees" "$1/usr/lib/linux-image-$version/"
done
chroot "$1" sh -ec 'for k in /boot/vmlinuz-*; do
  DEB_MAINT_PARAMS=configure sh -e /etc/kernel/postinst.d/z50-raspi-firmware "${k#/boot/vmlinuz-}" "$k"
done'
