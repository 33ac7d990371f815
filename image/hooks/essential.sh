#!/bin/sh
# essential-hook ($1 = chroot): the initramfs settings must lie there before initramfs-tools and the kernel are unpacked.
# /etc/default/raspi-firmware must not be written here: the conffile prompt that follows ends the build.
set -eu
mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/etc/initramfs-tools/scripts/local-bottom"
install -m 755 initramfs/platen-machine-id "$1/etc/initramfs-tools/scripts/local-bottom/"
cat >"$1/etc/initramfs-tools/conf.d/platen" <<END
MODULES=list
COMPRESS=zstd
FSTYPE=ext4
BUSYBOX=y
RESUME=none
END
# SD card of Pi 3 and Zero 2 W (bcm2835), Pi 4 (sdhci_iproc), Pi 5 (sdhci_brcmstb); virtio and i6300esb for the test machine
cat >"$1/etc/initramfs-tools/modules" <<END
ext4
vfat
nls_ascii
nls_cp437
overlay
bcm2835
sdhci_iproc
sdhci_brcmstb
bcm2835_wdt
mmc_block
virtio_pci
virtio_mmio
virtio_blk
virtio_net
i6300esb
raspberrypi_hwmon
END
