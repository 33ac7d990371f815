#!/bin/bash
# Unpacks what a guest of another architecture needs beside the kernel and the checkout:
#   foreign-root.sh CACHE ARCH NODE_VERSION USB_VERSION      prints the folder
# A Debian base with udev; and under checkout/, laid over the checkout, Node and the native part of the USB package.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
arch=$2 node=$3 usb=$4
mkdir -p "$1"
cache=$(cd "$1" && pwd)
out="${cache}/root-${arch}-$(cat "${here}/foreign-root.sh" - <<<"${node} ${usb}" | sha256sum | cut -c1-12)"
if [[ -e "${out}/checkout" ]]; then echo "${out}" && exit 0; fi

APT_CONFIG=$("${here}/foreign-apt.sh" "${cache}" "${arch}")
export APT_CONFIG
work=$(mktemp -d "${cache}/making.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "${work}/root"/usr/{bin,sbin,lib} "${work}/root"/{dev,etc,home,mnt,proc,root,run,sys,tmp,var}
for folder in bin sbin lib; do ln -s "usr/${folder}" "${work}/root/${folder}"; done
apt-get install -qq -y --download-only -o Dir::Cache::archives="${work}" \
  bash coreutils mount util-linux sed grep kmod udev libstdc++6 base-passwd >&2
for package in "${work}"/*.deb; do
  dpkg-deb --fsys-tarfile "${package}" | tar -x --keep-directory-symlink -C "${work}/root"
done
for file in passwd group; do cp "${work}/root/usr/share/base-passwd/${file}.master" "${work}/root/etc/${file}"; done

modules="${work}/root/checkout/node_modules"
mkdir -p "${modules}/node/bin" "${modules}/@node-usb/usb-linux-${arch}-gnu"
cd "${work}"
npm pack --silent "node-linux-${arch}@${node}" "@node-usb/usb-linux-${arch}-gnu@${usb}" >&2
tar -xzf "node-linux-${arch}-${node}.tgz" -C "${modules}/node" --strip-components=1 package/bin/node
tar -xzf "node-usb-usb-linux-${arch}-gnu-${usb}.tgz" -C "${modules}/@node-usb/usb-linux-${arch}-gnu" --strip-components=1
for old in "${cache}/root-${arch}"-*; do rm -rf "${old}"; done
mv -T "${work}/root" "${out}"
echo "${out}"
