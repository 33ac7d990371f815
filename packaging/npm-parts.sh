# Sourced by the scripts that pack: the npm packages of a program for another computer, each as package-lock.json pins it.
#   wants: versions.env sourced, $work a folder for scraps, the project as the working folder
#   env: CACHE (npm's tarballs, default .cache/npm)
cache=$(mkdir -p "${CACHE:-.cache/npm}" && realpath "${CACHE:-.cache/npm}")

# fetch NAME VERSION INTEGRITY: prints the file of npm's tarball, checked against its hash.
fetch() {
  local file="$cache/${1//[@\/]/_}-$2.tgz" got
  if [ ! -f "$file" ]; then
    mkdir -p "$work/pack"
    # The cache may lie on another disk, and another build may read it: renamed when it is whole.
    (cd "$work/pack" && npm pack --loglevel=error "$1@$2" >/dev/null &&
      mv ./*.tgz "$file.$$" && mv "$file.$$" "$file") ||
      { echo "$1@$2 could not be downloaded from npm's registry: run this again." >&2; return 1; }
  fi
  got=sha512-$(openssl dgst -sha512 -binary "$file" | base64 -w0)
  [ "$got" = "$3" ] || { rm -f "$file"; echo "$1@$2: got $got, wanted $3" >&2; return 1; }
  echo "$file"
}

# locked NAME KEY: what package-lock.json says of a package.
locked() { node -p 'require("./package-lock.json").packages["node_modules/" + process.argv[1]]?.[process.argv[2]] ?? ""' "$1" "$2"; }

# place NAME INTO: unpacks a package as the lock file pins it, whatever machine builds.
place() {
  local file
  file=$(fetch "$1" "$(locked "$1" version)" "$(locked "$1" integrity)")
  mkdir -p "$2/$1"
  tar xzf "$file" -C "$2/$1" --strip-components=1 --no-same-owner
}

# fetch_node NAME: npm's tarball of the pinned Node.js, by the names of versions.env.
fetch_node() {
  local package=NODE_PACKAGE_$1 integrity=NODE_INTEGRITY_$1 version=NODE_VERSION_$1
  fetch "${!package}" "${!version:-$NODE_VERSION}" "${!integrity}"
}

# native OS CPU INTO: the packages that stay outside of the bundle, with the binaries of one kind of computer only.
native() {
  local into=$3 usb=$1-$2 serial=$1-$2 name
  local names=(usb @serialport/bindings-cpp @serialport/bindings-interface @serialport/parser-readline
    @serialport/parser-delimiter debug ms node-gyp-build)
  case $1 in
    linux) usb+=-gnu ;;
    darwin) serial=darwin-x64+arm64 ;;
    win32)
      usb+=-msvc
      names+=(koffi "@koromix/koffi-$1-$2") # Windows' spooler
      ;;
  esac
  for name in "${names[@]}" "@node-usb/usb-$usb"; do place "$name" "$into"; done
  local binding=$into/@serialport/bindings-cpp
  find "$binding/prebuilds" -mindepth 1 -maxdepth 1 ! -name "$serial" -exec rm -r {} +
  find "$binding/prebuilds" -name '*musl*' -delete
  rm -rf "$binding/src" "$binding/binding.gyp" "$into"/node-gyp-build/{bin,build-test,optional}.js
  find "$into" \( -name '*.md' -o -name '*.d.ts' -o -name '*.map' -o -name '*.bat' -o -name '.*' \) -type f -delete
  find "$into" -type f -name 'LICENSE*' -delete # all of them are in the licenses that go with the program
  find "$into" -type f -exec chmod 644 {} +
  find "$into" -type d -empty -delete
}
