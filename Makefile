# What is not Node: one command for each thing a person does with this project.
.DEFAULT_GOAL := help
SHELL := /bin/sh
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# Debian packages of the tests: the real browsers for the page (of Chromium the engine alone too, which is cheaper; WebKit's MiniBrowser needs a screen), the openssl command for the certificates, real brokers for
# the sources, an encoder of every JPEG sampling, makers of PDFs, a reader of words, a real cupsd, promtool for the alert rules, and qemu for the guest with the USB printers.
TEST_PACKAGES := chromium chromium-headless-shell firefox-esr webkit2gtk-driver xvfb openssl beanstalkd mosquitto cups cups-client cups-daemon cups-filters cups-ipp-utils avahi-daemon dbus prometheus qemu-system-x86 kmod xz-utils zstd cpio udev mmdebstrap libjpeg-turbo-progs gnupg apt-utils iproute2 php-cli ruby perl python3 curl netcat-openbsd libio-socket-ssl-perl ghostscript poppler-utils php-fpdf python3-cairo python3-reportlab nsis wixl osslsigncode strace tesseract-ocr
# Peers of the benches.
BENCH_PACKAGES := imagemagick graphicsmagick ghostscript poppler-utils lprint
# What reads and runs the container image, besides what makes it.
CONTAINER_PACKAGES := skopeo umoci runc
# What makes and boots the SD image.
IMAGE_PACKAGES := qemu-user-static binfmt-support arch-test mmdebstrap qemu-system-arm dosfstools mtools e2fsprogs fdisk zstd openssl openssh-client
ALL ?=
CARD ?=
CONFIG ?=
KILLS ?= 1000
LABELS ?= 100000
FILES ?= 100000
HEADERS ?= 1000000
CUTS ?= 200
MINUTES ?= 60
SEED ?=
SERVERS ?= 30
FLOODS ?=
HISTORIES ?= 10000
PARTS ?=
CHANGED ?=
LIST ?=
MINUTES_LEFT ?=
ONCE ?=
ARCH ?= amd64
IMAGE ?=
SUITE ?= trixie

.PHONY: help help-all deps run quick test test-all prepared coverage test-packages check build bench golden docs pictures kill-test race-test soak-test flood-test fleet-test power-cut-test fuzz corpora clean
.PHONY: program test-program deb test-deb lint-deb repo image image-file image-packages test-vm test-vm-unit test-vm-arm64 test-image test-image-raspi3b test-names test-browsers write-card
.PHONY: test-update test-wine setup container test-container release test-release test-image-upgrade power-cut-image power-cut-update-test

help: ## This list (make help-all: all commands)
	@grep -E '^[a-z0-9-]+:.*[^#]## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

help-all: ### All commands
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/; s/#\t/\t/' | expand -t 24

deps: node_modules/.platen ### Install what make run and make test need (npm packages, the pinned Node)

# Node comes first and is checked before anything runs by it.
node_modules/.platen: package.json package-lock.json packaging/versions.env
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js with npm first (Debian: apt-get install nodejs npm)."; exit 1; }
	npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
	PATH="$$(printf %s "$$PATH" | cut -d : -f 2-)" npm rebuild --no-audit --no-fund --no-update-notifier --loglevel=error node
	packaging/check-node.sh node_modules/node/bin/node
	npm rebuild --no-audit --no-fund --no-update-notifier --loglevel=error esbuild
	node packaging/check-deps.ts
	tap build >/dev/null
	@touch $@

run: deps ## Start the server with a virtual printer and open its page
	node packaging/launcher/platen.js --demo $(if $(CONFIG),--config $(CONFIG))

quick: deps ## The unit tests that reach what was changed since main (ALL=1: all of them); no root, no other programs
	node test/quick.ts $(if $(ALL),--all)

test: prepared ## Prove everything once, with real parts (as root: installs what the tests need)
	node test/run.js

coverage: deps test-packages build ### What of src/ the tests of make test run, as a table; fails below the bounds
	node test/coverage.ts

test-all: prepared ### The long proofs, hours of them (PARTS="kills floods": some; CHANGED=1: what has not passed here; LIST=1: names)
	node test/all.ts $(if $(LIST),--list) $(if $(CHANGED),--changed) $(if $(MINUTES_LEFT),--minutes=$(MINUTES_LEFT)) $(PARTS)

# Two at a time: npm and dpkg, and then the compilers, leave a processor idle.
prepared:
	@$(MAKE) --no-print-directory -j 2 test-packages check build

# Only root can install packages; without them the tests that need them are skipped, with the reason. dpkg need not wait for the disk.
test-packages:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s $(TEST_PACKAGES) >/dev/null 2>&1; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Options::=--force-unsafe-io $(TEST_PACKAGES) >/dev/null; \
	fi

check: deps ## Formatter, linter, types
	npm run --silent check

build: deps ## The bundle in dist/
	node packaging/build.js

bench: build ## The benchmarks, beside the peers, as a table (ONCE=1: each row once, which proves that it runs)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s $(BENCH_PACKAGES) >/dev/null 2>&1; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(BENCH_PACKAGES) >/dev/null; \
	fi
	BENCH_ONCE=$(ONCE) node test/bench/run.ts

golden: deps ### Write the golden labels, and digests of odd input, again (read the difference before you commit it)
	node test/golden/write.ts

pictures: build test-packages ### Draw the pictures of README.md and docs/ again (look at each before you commit it)
	node test/web/pictures.ts

docs: deps ### Write docs/config.md and docs/errors.md from the code
	node packaging/docs.ts

kill-test: build ### Kill the server KILLS times (1000) in a flood: nothing lost, nothing printed twice
	KILLS=$(KILLS) node test/e2e/kill.test.ts

soak-test: build ### LABELS labels (100000) for 20 printers with restarts: each on paper once, memory back at idle + 10 MB
	LABELS=$(LABELS) node test/e2e/soak.test.ts

fleet-test: LABELS = 50000
fleet-test: MINUTES = 15
fleet-test: deps test-packages build ### SERVERS (30) servers, LABELS (50000) labels, a queue, a broker and Prometheus for MINUTES (15) and as long again: kills, outages, the shipped alerts (SEED)
	SERVERS=$(SERVERS) LABELS=$(LABELS) MINUTES=$(MINUTES) SEED=$(SEED) node test/fleet/fleet-run.test.ts

RACES = $(shell grep -lr "simulator/history.ts'" test --include='*.test.ts')
race-test: deps ### HISTORIES (10000) of people, printers, carriers, brokers, restarts and backups at random: no label twice, lost or elsewhere (SEED repeats; RACES="test/...": some)
	@for file in $(RACES); do HISTORIES=$(HISTORIES) SEED=$(SEED) node $$file || exit 1; done

flood-test: build ### Every flood in turn for MINUTES (60), within the unit's memory, beside one honest client (root for the memory limit; SEED, FLOODS="idle events")
	MINUTES=$(MINUTES) SEED=$(SEED) FLOODS="$(FLOODS)" node test/e2e/floods.ts

test-vm: deps test-packages build ### Real USB and serial printers, emulated, in a QEMU guest (make test has these too)
	node test/run.js test/vm/vm.test.ts test/vm/unit.test.ts

test-vm-unit: deps test-packages build ### Only the service of the Debian packages under systemd in that guest (root)
	node test/run.js test/vm/unit.test.ts

test-vm-arm64: deps test-packages build ### The same in an arm64 guest, with the arm64 packages
	@if [ "$$(id -u)" = 0 ] && ! command -v qemu-system-aarch64 >/dev/null; then \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends qemu-system-arm >/dev/null; \
	fi
	PLATEN_VM_ARCH=arm64 node test/run.js test/vm/vm.test.ts

power-cut-test: build ### Cut the power of the spool's disk CUTS times (200) under load, unflushed writes lost (root, libnbd-bin, fuse3)
	node test/power-cut/run.ts $(CUTS)

power-cut-update-test: CUTS = 50
power-cut-update-test: build ### Cut the power of the disk CUTS times (50) in an update of the Debian packages (as power-cut-test, and mmdebstrap, gnupg, apt-utils)
	node test/power-cut/update.ts $(CUTS)

fuzz: deps ### Damage FILES (100000) files of each picture format and decode them; change HEADERS (1000000) headers and read them
	node test/labels/codecs/fuzz-many.ts $(FILES)
	node test/labels/codecs/fuzz-headers-many.ts $(HEADERS)

corpora: deps ### Compare the pictures of libpng's and giflib's source packages with libvips (needs deb-src)
	node test/corpora/run.ts

clean: ## Remove what the other targets made
	rm -rf dist packages repo release .tap .cache node_modules

deb: build ## The Debian packages in packages/ (amd64 and arm64; platen-appliance for the SD image)
	packaging/deb.sh packages
	packaging/appliance.sh packages

test-deb: build ### Install, use and purge the packages in a plain Debian trixie (SUITE=bookworm: Debian 12; ARCH=arm64: under emulation)
	ARCH=$(ARCH) SUITE=$(SUITE) node test/packages/deb.test.ts
	node test/packages/appliance.test.ts

test-update: test-packages build ### Update the packages under a real systemd, good, bad, tampered and old versions, and platen service (root; namespaces, no virtual machine; SUITE=bookworm: Debian 12)
	LIVE_UPDATE=1 SUITE=$(SUITE) unshare --net sh -c 'ip link set lo up && exec node test/run.js --jobs=1 test/packages/live-update.test.ts test/packages/user-service.test.ts'

lint-deb: deb ### lintian over the packages (Debian package lintian)
	lintian --fail-on error,warning --tag-display-limit 0 packages/*.deb

program: build ### The npm package and the single executables in packages/ (Linux, Windows, macOS)
	packaging/npm.sh packages
	packaging/single.sh packages

test-wine: deps setup ### Run the executables and setups for Windows under Wine, in a Debian 13 of their own (root; namespaces)
	packaging/chroot.sh amd64 wine >/dev/null # while there is a network
	PLATEN_WINDOWS=$(CURDIR)/packages unshare --net --mount sh -c 'ip link set lo up && exec node test/run.js --jobs=1 test/windows/wine.test.ts test/windows/setup.test.ts'

setup: build test-packages ### The setup and the MSI for Windows in packages/ (CODE_CERT and CODE_KEY sign them; Debian packages nsis, wixl)
	packaging/single.sh packages win32-x64
	packaging/setup.sh packages

container: build test-packages ### The container image in packages/, for amd64 and arm64, without a container engine (root)
	packaging/container.sh packages

test-container: deps test-packages build ### Unpack that image by umoci and run it by runc: root read-only, no capabilities, killed (root)
	@dpkg -s $(CONTAINER_PACKAGES) >/dev/null 2>&1 || { \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(CONTAINER_PACKAGES) >/dev/null; \
	}
	PLATEN_CONTAINER=1 node test/run.js test/packages/container.test.ts

release: build test-packages ### Everything for a release page in release/, with SBOM, checksums and signature (root; SIGN_KEY, or UNSIGNED=1; IMAGE=1: with the SD image)
	$(if $(IMAGE),$(MAKE) --no-print-directory image)
	REPLACE=1 packaging/release.sh release

test-release: deps test-packages build ### Make a release twice, elsewhere and later, and compare every byte; verify it as the docs say (root)
	PLATEN_RELEASE=1 node test/run.js test/packages/release.test.ts

test-program: build ### Run the npm package and the executables that Linux can run, arm64 under emulation; make those for Macs
	PROGRAMS=all node test/run.js --jobs=1 test/packages/program.test.ts test/packages/windows-exe.test.ts

repo: deb ### A signed apt repository in repo/, for the SD image too (SIGN_KEY: file or id of the key; REPO_URL: where it will be found; CHANNEL)
	packaging/appliance.sh packages
	packaging/repo.sh repo packages/*.deb

image: image-file ## The SD image packages/platen.img.zst (root; MIRROR: Debian's, FLAVOUR=pi5, REPO_SOURCES: where boxes get updates)
	zstd -q -f -T0 -10 packages/platen.img -o packages/platen.img.zst
	@ls -l packages/platen.img.zst packages/platen.sbom.cdx.json packages/platen.packages
	cd packages && sha256sum platen.img platen.img.zst >platen.img.sha256

# The same, not packed: what the tests boot.
image-file: build image-packages
	rm -rf packages/image && mkdir -p packages/image
	packaging/deb.sh packages/image arm64
	packaging/appliance.sh packages/image
	image/mkimage packages/platen.img packages/image/*.deb

image-packages:
	@if [ "$$(id -u)" != 0 ]; then echo "make image needs root: it fills a Debian root file system."; exit 1; fi
	@if ! dpkg -s $(IMAGE_PACKAGES) >/dev/null 2>&1; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(IMAGE_PACKAGES) >/dev/null; \
	fi

test-image: image-file ### Boot the SD image in QEMU (512 MB) and use it; ten minutes and more
	IMAGE=$(CURDIR)/packages/platen.img node test/run.js --jobs=1 test/image/image.test.ts test/image/boot.test.ts test/image/emergency.test.ts

test-image-raspi3b: image-file ### The same on QEMU's Raspberry Pi 3B, with its own device tree
	IMAGE=$(CURDIR)/packages/platen.img MACHINE=raspi3b node test/run.js test/image/boot.test.ts

# The image's packages, for the tests that make an image with a repository of its own.
packages/upgrade: test-packages build image-packages
	rm -rf packages/upgrade && mkdir -p packages/upgrade
	packaging/deb.sh packages/upgrade arm64
	packaging/appliance.sh packages/upgrade
.PHONY: packages/upgrade

test-image-upgrade: packages/upgrade ### Update the SD image in QEMU from a signed repository: good, tampered, stale and bad versions; half an hour
	IMAGE_DEBS=$(CURDIR)/packages/upgrade node test/run.js test/image/upgrade.test.ts

power-cut-image: CUTS = 20
power-cut-image: packages/upgrade ### Cut the power of the SD image in QEMU CUTS times (20): under load, in updates, while it boots; an hour
	node test/image/power-cut.ts packages/upgrade $(CUTS)

test-names: deps ### Two boxes of one name on a cable of their own, with the real avahi (root)
	@dpkg -s avahi-daemon avahi-utils dbus iproute2 >/dev/null 2>&1 || { \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends avahi-daemon avahi-utils dbus iproute2 >/dev/null; \
	}
	node test/image/names.test.ts

test-browsers: deps test-packages ### The page and the pages of shops in Debian's Firefox and WebKit, from source
	PLATEN_TEST_ENTRIES=packaging/launcher/platen.js node test/run.js test/web/browsers.test.ts

write-card: ### Write packages/platen.img.zst to an SD card and read it back (CARD=/dev/sdX; everything on it is lost)
	image/write-card packages/platen.img.zst "$(CARD)"
