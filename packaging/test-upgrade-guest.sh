#!/bin/sh
# The upgrade test of the image, run as root inside the booted guest (real systemd, real sockets); test/image calls it
# over the root shell. The repository is on the build machine: packaging/repo.sh with REPO_URL=http://10.0.2.2:PORT.
#   usage: test-upgrade-guest.sh good|bad|tampered|stale VERSION [SOURCES]
#   VERSION  the version in the repository; SOURCES its platen-stable.sources (copied where it is not there yet)
# Prints one line a check, "ok …" or "not ok …"; exit 1 when one failed. A label must wait in the spool beforehand.
set -u
kind=$1 version=$2 failed=0
list=/etc/apt/sources.list.d/platen-stable.sources
if [ -n "${3:-}" ]; then
  mount -o remount,rw / && cp "$3" "$list" && sync
  mount -o remount,ro /
fi
check() {
  if eval "$2"; then echo "ok $1"; else echo "not ok $1"; failed=1; fi
}
port=$(sed -n 's/.*"port": *"\{0,1\}\([0-9]*\).*/\1/p' /etc/platen/config.json | head -n 1)
# One request after the other while all this goes on; curl is not in the image, Node.js is.
cat >/tmp/knock.cjs <<'J'
const http = require('node:http')
let refused = 0, answered = 0
const knock = () => http.get({ host: '127.0.0.1', port: process.argv[2], path: '/healthz', agent: false, timeout: 60000 }, (answer) => {
  answered += 1
  answer.resume().on('end', () => setTimeout(knock, 50))
}).on('error', () => { refused += 1; setTimeout(knock, 50) })
process.on('SIGTERM', () => { console.log(`${refused} ${answered}`); process.exit() })
knock()
J
/usr/lib/platen/bin/node /tmp/knock.cjs "${port:-8080}" >/tmp/knock.log &
knocker=$!
before=$(dpkg-query -W -f '${Version}' platen)
settings=$(sha256sum </etc/platen/config.json)
systemctl start platen-update.service
result=$(sed -n 's/.*"result":"\([a-z]*\)".*/\1/p' /var/lib/platen/update.json)
after=$(dpkg-query -W -f '${Version}' platen)
case $kind in
  good) want=updated wanted=$version ;;
  bad) want=undone wanted=$before ;;
  tampered) want=refused wanted=$before ;;
  stale) want=stale wanted=$before ;;
  *) echo "not ok: nobody knows $kind" && exit 64 ;;
esac
kill -TERM "$knocker" && wait "$knocker"
read -r refused answered </tmp/knock.log
cat /var/lib/platen/update.json
check "the result is $want (seen: $result)" '[ "$result" = "$want" ]'
check "version $wanted is installed (seen: $after)" '[ "$after" = "$wanted" ]'
check 'the configuration is as it was' '[ "$settings" = "$(sha256sum </etc/platen/config.json)" ]'
check "the port never refused ($refused refused, $answered answered)" '[ "$refused" = 0 ] && [ "$answered" -gt 0 ]'
check 'the service runs' 'systemctl is-active --quiet platen.service'
check 'the system disk is read-only again' '! [ -w / ]'
check 'nothing is under way' '! [ -e /var/lib/platen-update/under-way ]'
exit "$failed"
