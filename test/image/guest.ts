// Shell scripts that run as root in the booted image (Box.run).

/** Prints what the tests ask of the system, a line `name=value` each. */
export const STATE = `
one() { tr '\\n' ' '; echo; }
address() { ip -4 -o address show scope global | awk '{sub("/.*", "", $4); print $4; exit}'; }
# What the start before this one wrote may still stand there.
for i in $(seq 90); do [ -s /run/platen-names/alias ] && grep -q "http://$(address)/" /boot/firmware/platen/STATUS.TXT && break; sleep 2; done
echo "root=$(findmnt -no OPTIONS /)"
echo "touch=$(touch /usr/x 2>&1)"
card=$(findmnt -no SOURCE /data)
echo "card_device=$card"
echo "reserved=$(blkid -p "\${card%4}3" | one | tr -d ' ' | sed 's/.*PART_ENTRY.*//')"
echo "data=$(df --output=size -k /data | tail -n 1)"
echo "failed=$(systemctl --failed --no-legend --plain | one | sed 's/ *$//')"
echo "id=$(cat /etc/machine-id) $(cat /data/machine-id)"
echo "name=$(cat /proc/sys/kernel/hostname)"
echo "names=$(cat /run/platen-names/alias /run/platen-names/host 2>&1 | one)"
echo "used=$(awk '/MemTotal/{t=$2} /MemAvailable/{a=$2} END{print t-a}' /proc/meminfo)"
echo "exposure=$(systemd-analyze security platen.service --no-pager | sed -n 's/.*level for platen.service: \\([0-9.]*\\).*/\\1/p')"
echo "host=$(cat /etc/platen/config.json | one)"
echo "psk=$(grep psk= /data/wifi/wpa_supplicant.conf)"
echo "secret=$(grep -la 'secret pass' -r /boot/firmware/platen)"
echo "import=$(cat /boot/firmware/platen/LAST-IMPORT.TXT | tr -d '\\r' | one)"
echo "status=$(cat /boot/firmware/platen/STATUS.TXT | tr -d '\\r' | one)"
echo "shadow=$(grep ^root: /etc/shadow)"
echo "sshkey=$(dropbearkey -y -f /data/ssh/host_ed25519 | grep ^ssh-)"
echo "address=$(ip -4 -o address show scope global | head -n 1)"
echo "logs=$(findmnt -no FSTYPE /var/log) $(ls -d /run/log/journal /var/log/journal 2>/dev/null | one | sed 's/ *$//')"
echo "now=$(date +%s)"
echo "board=$(tr -d '\\0' </proc/device-tree/model)"
echo "light=$(cat /sys/class/leds/ACT/trigger 2>/dev/null)"
echo "pin=$(cat /var/lib/platen/pin)"
echo "authority=$(find /var/lib/platen /etc/platen -name authority.pem | xargs sha256sum)"
echo "watchdog=$(wdctl 2>/dev/null | one)"
echo "units=$(systemd-analyze blame --no-pager 2>/dev/null | head -n 12 | one)"
echo "memory=$(systemctl show platen -p MemoryPeak -p MemoryCurrent | one)"
echo "processes=$(ps -eo rss=,comm= 2>/dev/null | sort -rn | head -n 12 | one)"
`

/** Prints \`idle=KB label=KB\`: what was written to the card in a minute without labels, and for each of ten labels of 20 kB. */
export const WRITTEN = `
disk=$(basename "$(readlink -f "/sys/class/block/$(basename "$(findmnt -no SOURCE /data)")/..")")
kb() { sync; awk '{print int($7 / 2)}' "/sys/block/$disk/stat"; }
cat >/run/labels.mjs <<'END'
const body = JSON.stringify({ label: Buffer.from('^XA^FX' + 'x'.repeat(20_000) + '^FS^FO50,50^GB200,200,4^FS^XZ').toString('base64') })
for (let i = 0; i < 10; i += 1) {
  const answer = await fetch('http://127.0.0.1:8080/', { method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=60' }, body })
  console.log(answer.status, (await answer.text()).slice(0, 80))
}
END
# After the data partition has grown, ext4 clears its new inode tables once, in the background.
for i in $(seq 600); do grep -qx ext4lazyinit /proc/[0-9]*/comm 2>/dev/null || break; sleep 1; done
a=$(kb); sleep 60; b=$(kb)
/usr/lib/platen/bin/node /run/labels.mjs | tail -n 1
c=$(kb)
echo "idle=$((b - a)) label=$(((c - b) / 10)) boot=$a"
`

/** Restarts the server under a client that asks all the time; prints \`refused=N answered=N\`. */
export const ASK_ALL_THE_TIME = `
cat >/run/ask.mjs <<'END'
import { connect } from 'node:net'
let refused = 0, answered = 0, longest = 0
const end = Date.now() + 40_000
const ask = () => new Promise((resolve) => {
  const begin = Date.now()
  const socket = connect(8080, '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\\r\\nHost: 127.0.0.1:8080\\r\\nConnection: close\\r\\n\\r\\n'))
  let text = ''
  socket.on('data', (data) => { text += data })
  socket.on('error', () => { refused += 1; resolve() })
  socket.on('close', () => { if (text.startsWith('HTTP/1.1')) answered += 1; longest = Math.max(longest, Date.now() - begin); resolve() })
})
while (Date.now() < end) { await ask(); await new Promise((done) => setTimeout(done, 50)) }
console.log('refused=' + refused + ' answered=' + answered + ' longest=' + longest)
END
/usr/lib/platen/bin/node /run/ask.mjs & sleep 8
systemctl restart platen
wait
`

/** The server stands still. */
export const STOP_SERVER =
  'kill -STOP "$(systemctl show -p MainPID --value platen.service)" && echo stopped'

/** The kernel stands still for good: it does not even restart after its panic. */
export const HANG_THE_KERNEL = `
sync
(sleep 3; echo 0 >/proc/sys/kernel/panic; echo c >/proc/sysrq-trigger) >/dev/null 2>&1 &
`
