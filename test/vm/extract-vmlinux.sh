#!/bin/bash
# Takes the ELF out of a bzImage:  extract-vmlinux.sh VMLINUZ OUT
# Offsets of the x86 boot header (Documentation/arch/x86/boot.rst): 0x1f1 setup_sects, 0x248 payload_offset,
# 0x24c payload_length, whose last 4 bytes are the length of what comes out.
set -euo pipefail
u32() { od -An -tu4 -j "$1" -N4 "$2" | tr -d ' '; }
file=$1
sectors=$(od -An -tu1 -j $((0x1f1)) -N1 "${file}" | tr -d ' ')
offset=$(((sectors + 1) * 512 + $(u32 $((0x248)) "${file}")))
length=$(($(u32 $((0x24c)) "${file}") - 4))
case $(od -An -tx1 -j "${offset}" -N4 "${file}" | tr -d ' ') in
  fd377a58) unpack="xz -dc --single-stream" ;;
  28b52ffd) unpack="zstd -dcq" ;;
  1f8b*) unpack="gzip -dc" ;;
  *) echo "${file}: a payload that is neither xz, zstd nor gzip" >&2 && exit 1 ;;
esac
dd if="${file}" iflag=skip_bytes,count_bytes skip="${offset}" count="${length}" bs=1M status=none | ${unpack} >"$2"
