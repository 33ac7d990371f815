import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { readSymbols } from '../interpreters/symbols.ts'
import { renderZpl } from '../interpreters/zpl.ts'
import { Box, dropFile, readDropped } from './box.ts'

// Boots the image that make image wrote. MACHINE=raspi3b takes QEMU's Raspberry Pi instead of its virt machine.
const ROOT = join(import.meta.dirname, '../..')
// Ten minutes and more: only where it is asked for.
const IMAGE = process.env['IMAGE'] ?? ''
const MACHINE = process.env['MACHINE'] ?? 'virt'
const BOOT_MS = Number(process.env['BOOT_S'] ?? 900) * 1000 // 60 s by itself; beside other work ten times that
const TOOLS = [
  '/usr/bin/qemu-system-aarch64',
  '/usr/bin/mcopy',
  '/usr/sbin/debugfs',
  '/usr/sbin/sfdisk',
]
const lacks = [...TOOLS, IMAGE].filter((file) => !existsSync(file))
const skip =
  IMAGE === ''
    ? 'make test-image boots the SD image'
    : lacks.length > 0 && `this machine lacks ${lacks.join(', ')}`
const STOCK = { width: 812, height: 1218, dpi: 203 }

t.setTimeout(3_600_000)

/** Runs debugfs on the root partition of an image. */
function lookInside(part: string, command: string): string {
  return execFileSync('debugfs', ['-R', command, part], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

t.test(
  'the image holds no password, no key, no name of its own and no way in for tests',
  { skip },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-image-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const table = execFileSync('sfdisk', ['-d', IMAGE], { encoding: 'utf8' })
    t.match(table, /img1 : start= +8192, size= +524288, type=c, bootable/)
    t.match(table, /img4 : start= +3153920, size= +131072, type=83/)
    const part = join(folder, 'root.img')
    execFileSync('dd', [
      `if=${IMAGE}`,
      `of=${part}`,
      'bs=1M',
      'skip=260',
      'count=640',
      'conv=sparse',
      'status=none',
    ])
    const shadow = lookInside(part, 'cat /etc/shadow')
    for (const line of shadow.trim().split('\n')) t.match(line, /^[^:]+:!?\*?:/, 'no password')
    t.equal(lookInside(part, 'cat /etc/machine-id'), '')
    for (const file of [
      '/etc/platen/config.json',
      '/etc/dropbear',
      '/etc/ssh',
      '/root/.ssh/authorized_keys',
      '/var/lib/systemd/random-seed',
    ]) {
      t.match(
        execFileSync('debugfs', ['-R', `stat ${file}`, part], { encoding: 'utf8', stdio: 'pipe' }),
        /^$/,
        file,
      )
    }
    t.equal(readDropped(IMAGE, 'STATUS.TXT').trim(), 'This box has not been started yet.')
    const line = execFileSync('mtype', ['-i', `${IMAGE}@@4M`, '::/cmdline.txt'], {
      encoding: 'utf8',
    })
    t.notMatch(line, /debug|init=|single|rescue/)
    t.match(line, / ro rootwait /)
    const files = execFileSync('mdir', ['-b', '-i', `${IMAGE}@@4M`, '::/'], { encoding: 'utf8' })
    for (const name of [
      'bootcode.bin',
      'start.elf',
      'start4.elf',
      'bcm2837-rpi-3-b.dtb',
      'bcm2711-rpi-4-b.dtb',
      'bcm2837-rpi-zero-2-w.dtb',
    ]) {
      t.match(files, name)
    }
    execFileSync('e2fsck', ['-fn', part])
    const sources = lookInside(part, 'cat /etc/apt/sources.list.d/debian.sources')
    t.equal(sources.match(/^URIs:/gm)?.length, 2)
    const bom = JSON.parse(readFileSync(IMAGE.replace(/\.img$/, '.sbom.cdx.json'), 'utf8'))
    const names = new Set(bom.components.map(({ name }: { name: string }) => name))
    for (const name of ['hono', 'systemd', 'platen-node', 'linux-image-arm64'])
      t.ok(names.has(name), name)
    t.end()
  },
)

t.test(
  'the image boots, takes its settings from the card, prints, and heals itself',
  { skip, timeout: 3_500_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-box-'))
    const printer = await TcpSink.open()
    const card = join(folder, 'card.img')
    execFileSync('cp', ['--sparse=always', IMAGE, card])
    truncateSync(card, 2 ** 31) // a power of two for raspi3b, and room to grow
    const printers = [{ name: 'Bench', uri: `socket://10.0.2.2:${printer.port}`, language: 'zpl' }]
    dropFile(
      card,
      'config.json',
      `\uFEFF${JSON.stringify({ host: 'localhost', printers }).replaceAll(',', ',\r\n')}`,
    )
    dropFile(card, 'wifi.txt', 'ssid = "Packing"\r\npassword = secret pass\r\ncountry = de\r\n')
    dropFile(card, 'hostname', 'two words')
    const box = await Box.start(card, join(folder, 'console.log'), `boot-${MACHINE}`)
    t.teardown(async () => {
      await box.cut()
      await printer.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const begin = Date.now()
    const info = await (await box.untilAnswers('/info', BOOT_MS)).json()
    t.comment(`HTTP after ${Math.round((Date.now() - begin) / 1000)} s`)
    t.match(info, { name: 'platen', available_printers: ['Bench'] })

    await t.test('a start label comes out, whose code leads to the page', async (t) => {
      const label = await received(printer, () => true)
      const drawn = await renderZpl(label, STOCK)
      t.same(await readSymbols(drawn, ['QRCode']), { QRCode: 'http://10.0.2.15/' })
    })

    await t.test('a picture prints on the network printer', async (t) => {
      const picture = readFileSync(join(ROOT, 'docs/label.png'))
      const before = printer.connections.length
      const response = await box.fetch(
        '/',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', prefer: 'wait=60' },
          body: JSON.stringify({ label: picture.toString('base64') }),
        },
        120_000,
      )
      t.match(await response.json(), {
        Status: 'OK',
        jobs: [{ format: 'png', state: 'completed' }],
      })
      t.match(
        Buffer.from(await received(printer, (_, index) => index >= before)).toString('latin1'),
        /\^GFA,/,
      )
    })

    const state = await box.run(STATE)
    t.comment(state)
    const facts = new Map(
      state.split('\n').map((line) => [line.split('=')[0], line.replace(/^[^=]*=/, '')]),
    )
    const of = (name: string): string => facts.get(name) ?? ''
    t.match(of('root'), /^ro,/, 'the root is read-only')
    t.match(of('touch'), /Read-only file system/)
    t.ok(Number(of('data')) > 400_000, 'the data partition grew to the card')
    t.equal(of('failed'), '', 'no unit failed')
    t.match(of('id'), /^([0-9a-f]{32}) \1$/, 'the machine id lies on the data partition')
    t.match(of('name'), /^printserver-[0-9a-f]{4}$/)
    t.match(of('names'), 'printserver.local')
    t.ok(Number(of('used')) <= 120 * 1024, `used memory ${of('used')} kB`)
    t.ok(Number(of('exposure')) <= 2, `systemd-analyze security ${of('exposure')}`)
    t.match(of('host'), '"host": ""', 'the configuration of the card holds')
    t.match(of('psk'), /psk=[0-9a-f]{64}/)
    t.notMatch(of('card'), 'secret pass', 'the Wi-Fi password is nowhere on the FAT partition')
    t.match(of('import'), /two words/, 'what was wrong is explained')
    t.match(of('status'), /http:\/\/10.0.2.15\//)
    t.match(of('shadow'), /^root:\*:/)
    t.match(of('ssh'), 'inactive')

    await t.test('the PIN is the password of admin', async (t) => {
      const basic = (pin: string) => ({
        authorization: `Basic ${Buffer.from(`admin:${pin}`).toString('base64')}`,
      })
      t.match(of('pin'), /^\d{8}$/)
      t.equal((await box.fetch('/config', { headers: basic(of('pin')) })).status, 200)
      t.notOk((await box.fetch('/config', { headers: basic('00000000') })).ok)
    })

    await t.test('nobody is refused while the server restarts', async (t) => {
      const counts = await box.run(RESTART)
      t.match(counts, /^refused=0 answered=[1-9]/m)
      t.comment(counts)
    })

    await t.test('a server that hangs is started again by the watchdog', async (t) => {
      t.match(
        await box.run(
          'kill -STOP "$(systemctl show -p MainPID --value platen.service)" && echo stopped',
        ),
        'stopped',
      )
      // Until the watchdog's 20 s are over, systemd's socket takes connections and nobody answers.
      await box.untilAnswers('/healthz', 240_000)
      t.match(
        await box.run(
          'systemctl show -p NRestarts --value platen.service; journalctl -u platen -b --no-pager | grep -ci watchdog',
        ),
        /^[1-9]/,
      )
    })
  },
)

/** The bytes of the first connection that fits, as soon as it has ended. */
async function received(
  printer: TcpSink,
  fits: (bytes: Uint8Array, index: number) => boolean,
): Promise<Uint8Array> {
  const end = Date.now() + 240_000
  for (;;) {
    // Between the labels the server asks the printer how it is.
    const found = printer.connections.find(
      ({ bytes }, index) => Buffer.from(bytes).includes('^GF') && fits(bytes, index),
    )
    if (found !== undefined && found.state !== 'open') return found.bytes
    if (Date.now() > end) throw new Error('no label came')
    await sleep(500)
  }
}

const STATE = `
one() { tr '\\n' ' '; echo; }
for i in $(seq 60); do [ -s /run/platen-names/alias ] && grep -q http /boot/firmware/platen/STATUS.TXT && break; sleep 2; done
echo "root=$(findmnt -no OPTIONS /)"
echo "touch=$(touch /usr/x 2>&1)"
echo "data=$(df --output=size -k /data | tail -n 1)"
echo "failed=$(systemctl --failed --no-legend --plain | one)"
echo "id=$(cat /etc/machine-id) $(cat /data/machine-id)"
echo "name=$(cat /proc/sys/kernel/hostname)"
echo "names=$(cat /run/platen-names/alias /run/platen-names/host 2>&1 | one)"
echo "used=$(awk '/MemTotal/{t=$2} /MemAvailable/{a=$2} END{print t-a}' /proc/meminfo)"
echo "exposure=$(systemd-analyze security platen.service --no-pager | sed -n 's/.*level for platen.service: \\([0-9.]*\\).*/\\1/p')"
echo "host=$(cat /etc/platen/config.json | one)"
echo "psk=$(grep psk= /data/wifi/wpa_supplicant.conf)"
echo "card=$(grep -a 'secret pass' -r /boot/firmware/platen | one)"
echo "import=$(cat /boot/firmware/platen/LAST-IMPORT.TXT | tr -d '\\r' | one)"
echo "status=$(cat /boot/firmware/platen/STATUS.TXT | tr -d '\\r' | one)"
echo "shadow=$(grep ^root: /etc/shadow)"
echo "ssh=$(systemctl is-active platen-ssh)"
echo "written=$(awk '{print $7 / 2048}' /sys/block/*/stat | sort -n | tail -n 1) MiB"
echo "pin=$(cat /var/lib/platen/pin)"
echo "watchdog=$(wdctl 2>/dev/null | one)"
echo "units=$(systemd-analyze blame --no-pager 2>/dev/null | head -n 12 | one)"
echo "memory=$(systemctl show platen -p MemoryPeak -p MemoryCurrent | one)"
`

const RESTART = `
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
