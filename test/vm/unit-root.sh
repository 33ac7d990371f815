#!/bin/bash
# A plain Debian trixie whose init is systemd, with the packages installed by dpkg, for the guest of unit.test.ts:
#   unit-root.sh FOLDER ARCH PACKAGE.deb...      FOLDER must not be there; as root, with mmdebstrap
set -euo pipefail
umask 022
here=$(cd "$(dirname "$0")" && pwd)
root=$1 arch=$2
shift 2
tar=$(cd "${here}/../.." && realpath "$(packaging/chroot.sh "${arch}")")
mkdir "${root}"
tar -xf "${tar}" -C "${root}"
cp "$@" "${root}/root/"
# tap puts its hooks into the environment of every child; the files that they name are not there in the other root.
env -u NODE_OPTIONS -u NODE_V8_COVERAGE chroot "${root}" sh -c 'dpkg -i /root/*.deb' >&2
rm "${root}"/root/*.deb
# Debian's own rules give printers to the group lp and serial lines to dialout, too: here it is ours alone that does.
sed '/ID_USB_INTERFACES.*0701/d; /GROUP="dialout"/d' "${root}/usr/lib/udev/rules.d/50-udev-default.rules" \
  >"${root}/etc/udev/rules.d/50-udev-default.rules"
mkdir "${root}/checkout" # see init
echo guest >"${root}/etc/hostname"
: >"${root}/etc/machine-id" # a first boot would wait for answers otherwise
touch "${root}/etc/.updated" "${root}/var/.updated"
# What a server needs none of, and what takes seconds under emulation.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer getty.target getty@.service serial-getty@.service \
  tmp.mount modprobe@.service dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
  sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount systemd-pstore.service fstrim.timer \
  systemd-firstboot.service systemd-random-seed.service systemd-update-utmp.service systemd-hwdb-update.service; do
  ln -sf /dev/null "${root}/etc/systemd/system/${unit}"
done
cat >"${root}/etc/systemd/system/guest.service" <<'UNIT'
[Unit]
Description=The test
[Service]
Type=exec
ExecStart=/bin/bash -c 'bash /run/out/command.sh >/dev/virtio-ports/output; echo $? >/run/out/exit-code; journalctl --no-pager -b >/run/out/journal.log; sync; systemctl poweroff -ff'
StandardError=tty
TTYPath=/dev/console
UNIT
ln -s ../guest.service "${root}/etc/systemd/system/multi-user.target.wants/"
