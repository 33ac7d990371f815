#!/bin/bash
# Makes the guest's kernel and initramfs out of Debian packages, which are unpacked, never installed:
#   build.sh CACHE [amd64|arm64]      prints the folder inside CACHE that holds vmlinux (or vmlinuz) and initrd.img
# A folder that is already there is used as it is: its name holds the kernel's version and the digest of what goes in.
# Needs dpkg-deb, cpio, gzip, xz, depmod.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
native=$(dpkg --print-architecture)
arch=${2:-${native}}
mkdir -p "$1"
cache=$(cd "$1" && pwd)
if [[ "${arch}" != "${native}" ]]; then
  APT_CONFIG=$("${here}/foreign-apt.sh" "${cache}" "${arch}")
  export APT_CONFIG
fi

# 6.12 where the distribution has it (the kernel of current boxes too), else its default kernel.
find_kernel() {
  local name package
  for name in "linux-image-6.12-${arch}" "linux-image-${arch}"; do
    package=$(apt-cache depends "${name}:${arch}" 2>/dev/null | awk '/Depends:/ && !n++ { print $2 }')
    if [[ -n "${package}" ]]; then echo "${package%:*}" && return; fi
  done
}

kernel=$(find_kernel)
digest=$(cat "${here}/build.sh" "${here}/init" | sha256sum | cut -c1-12)
if [[ -z "${kernel}" ]]; then
  # Without package lists, what an earlier run has left will do.
  for old in "${cache}/${arch}"-*/initrd.img; do
    if [[ -e "${old}" ]]; then dirname "${old}" && exit 0; fi
  done
  echo "apt knows no linux-image for ${arch}: run apt-get update" >&2
  exit 1
fi
out="${cache}/${arch}-${kernel#linux-image-}-${digest}"
if [[ -e "${out}/initrd.img" ]]; then echo "${out}" && exit 0; fi

work=$(mktemp -d "${cache}/making.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "${work}"
apt-get download -qq "${kernel}:${arch}" "busybox-static:${arch}" >&2
mkdir kernel busybox made
dpkg-deb -x linux-image-*.deb kernel
dpkg-deb -x busybox-static_*.deb busybox
modules=$(find kernel -type d -path '*/lib/modules/*' -prune)
version=$(basename "${modules}")

# Only what the guest loads; a name that is not there is built in.
wanted="virtio_pci virtio_mmio virtio_ring virtio virtio_console 9p 9pnet 9pnet_virtio netfs fscache overlay
  usb-common usbcore udc-core dummy_hcd libcomposite configfs usb_f_fs usblp usbserial ftdi_sio xhci-hcd xhci-pci"
root="${work}/root"
mkdir -p "${root}"/{bin,dev,proc,sys,mnt} "${root}/lib/modules/${version}"
for module in ${wanted}; do
  file=$(find "${modules}/kernel" -name "${module}.ko*" -print -quit)
  case ${file} in
    '') ;;
    *.xz) xz -dc "${file}" >"${root}/lib/modules/${version}/${module}.ko" ;;
    *) cp "${file}" "${root}/lib/modules/${version}/${module}.ko" ;;
  esac
done
cp "${modules}"/modules.{builtin,builtin.modinfo,order} "${root}/lib/modules/${version}/"
depmod -b "${root}" "${version}"
find busybox -type f -path "*bin/busybox" -exec cp {} "${root}/bin/busybox" \;
cp "${here}/init" "${root}/init"
chmod +x "${root}/init"
(cd "${root}" && find . | cpio -o -H newc --quiet --owner=0:0 | gzip -1) >made/initrd.img
cp kernel/boot/vmlinuz-* made/vmlinuz
# QEMU starts the plain ELF at once; the compressed one takes seconds under emulation. arm64's is plain already.
if [[ "${arch}" = amd64 ]]; then "${here}/extract-vmlinux.sh" made/vmlinuz made/vmlinux; fi
if ! mv -T made "${out}" 2>/dev/null; then [[ -e "${out}/initrd.img" ]]; fi # another run was faster
for old in "${cache}/${arch}"-*; do
  if [[ "${old}" != "${out}" ]]; then rm -rf "${old}"; fi
done
echo "${out}"
