import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { readSymbols } from '../interpreters/symbols.ts'
import { renderZpl } from '../interpreters/zpl.ts'
import { Box, dropFile, whyNoImage } from './box.ts'
import { ASK_ALL_THE_TIME, HANG_THE_KERNEL, STATE, STOP_SERVER, WRITTEN } from './guest.ts'

// Boots the image that make image-file wrote (IMAGE). MACHINE=raspi3b takes QEMU's Raspberry Pi instead of its virt machine.
const ROOT = join(import.meta.dirname, '../..')
const IMAGE = process.env['IMAGE'] ?? ''
const isBoard = process.env['MACHINE'] === 'raspi3b'
const BOOT_MS = Number(process.env['BOOT_S'] ?? 1800) * 1000 // 60 s by itself; beside other work ten times that
// Seconds of the guest until systemd starts, 10 on a quiet machine; where more, times mean nothing. CI sets it.
const SLOW_S = Number(process.env['SLOW_S'] ?? Number.POSITIVE_INFINITY)
const STOCK = { width: 812, height: 1218, dpi: 203 }
const DRAWING_MS = 60_000 // after 30 s without a picture the thread that draws ends
const FIXED = '10.0.2.77'
const skip = whyNoImage()
const call = promisify(execFile)

t.setTimeout(7_200_000)

t.test(
  'the image boots, takes its settings from the card, prints, and heals itself',
  {
    skip,
    timeout: 7_000_000,
  },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-box-'))
    const printer = await TcpSink.open()
    const card = join(folder, 'card.img')
    execFileSync('cp', ['--sparse=always', IMAGE, card])
    truncateSync(card, 2 ** 31) // a power of two for raspi3b, and room to grow
    const printers = [{ name: 'Bench', uri: `socket://10.0.2.2:${printer.port}`, language: 'zpl' }]
    const config = JSON.stringify({ host: 'localhost', printers }).replaceAll(',', ',\r\n')
    dropFile(card, 'config.json', `\uFEFF${config}`)
    dropFile(card, 'wifi.txt', 'ssid = "Packing"\r\npassword = secret pass\r\ncountry = de\r\n')
    dropFile(card, 'hostname', 'two words')
    const key = makeKey(folder, 'mine')
    dropFile(card, 'authorized_keys', readFileSync(`${key}.pub`, 'utf8'))
    let box = await boot(card, join(folder, 'console.log'))
    t.teardown(async () => {
      await box.cut()
      await printer.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const info = await answer(t, box)
    if (info === undefined) return
    t.match(info, { name: 'platen', available_printers: ['Bench'] })

    await t.test('a start label comes out, whose code leads to the page', async (t) => {
      const drawn = await renderZpl(await received(printer, 0), STOCK)
      t.same(await readSymbols(drawn, ['QRCode']), { QRCode: 'http://10.0.2.15/' })
    })

    await t.test('a picture prints on the network printer', (t) => print(t, box, printer))

    if (isBoard) await sleep(DRAWING_MS) // four processors and 1 GB: its memory counts at rest
    const first = await readFacts(t, box)
    t.test('the system is as it should be', (t) => checkSystem(t, first))
    t.test('what lay on the card is imported', (t) => checkImport(t, first))

    await t.test('the PIN is the password of admin', async (t) => {
      const basic = (pin: string) => ({
        authorization: `Basic ${Buffer.from(`admin:${pin}`).toString('base64')}`,
      })
      const pin = first('pin')
      t.match(pin, /^\d{8}$/)
      t.equal((await box.fetch('/config', { headers: basic(pin) })).status, 200)
      t.notOk((await box.fetch('/config', { headers: basic('00000000') })).ok)
    })

    await t.test(
      'the key of the card logs in by ssh, another one and a password do not',
      async (t) => {
        const { stdout } = await call('ssh', sshTo(box, folder, key, 'id -un; cat /etc/machine-id'))
        t.equal(stdout, `root\n${first('id').slice(0, 32)}\n`)
        const other = makeKey(folder, 'other')
        const refusal = await call('ssh', sshTo(box, folder, other, 'true')).catch(String)
        t.match(refusal, 'Permission denied (publickey)')
      },
    )

    await t.test('the card is written for labels and hardly else', async (t) => {
      const counts = await box.run(WRITTEN)
      t.comment(counts)
      const [, idle = 'x', label = 'x'] = /idle=(\d+) label=(\d+)/.exec(counts) ?? []
      t.ok(Number(idle) <= 300, `${idle} kB in a minute without labels`)
      t.ok(Number(label) <= 400, `${label} kB for a label of 20 kB`)
    })

    await t.test('nobody is refused while the server restarts', async (t) => {
      const counts = await box.run(ASK_ALL_THE_TIME)
      t.match(counts, /^refused=0 answered=[1-9]/m)
      t.comment(counts)
    })

    await t.test('a server that hangs is started again by the watchdog', async (t) => {
      t.match(await box.run(STOP_SERVER), 'stopped')
      // Until the watchdog's 20 s are over, systemd's socket takes connections and nobody answers.
      await box.untilAnswers('/healthz', BOOT_MS)
      t.match(await box.run('systemctl show -p NRestarts --value platen.service'), /^[1-9]/)
    })

    await t.test('a kernel that hangs is reset by the hardware watchdog', async (t) => {
      if (isBoard) {
        const why =
          "QEMU's bcm2835 watchdog has no time-out: it resets the machine when it is armed"
        t.pass('reset', { skip: why })
        return box.cut()
      }
      t.match(first('watchdog'), /i6300ESB/i)
      await box.run(HANG_THE_KERNEL)
      await box.untilOff(BOOT_MS) // QEMU ends instead of starting again
    })

    await t.test(
      'the next start finds everything again, at the fixed address of the card',
      async (t) => {
        const labels = printer.connections.filter(isLabel).length
        dropFile(card, 'static-ip.txt', `address = ${FIXED}/24\r\ngateway = 10.0.2.2\r\n`)
        box = await boot(card, join(folder, 'console2.log'), { GUEST: FIXED })
        if ((await answer(t, box)) === undefined) return
        const second = await readFacts(t, box)
        t.match(second('address'), new RegExp(`inet ${FIXED}/24 .*global(?!.*dynamic)`))
        t.match(second('status'), `http://${FIXED}/`)
        for (const name of ['id', 'name', 'pin', 'authority', 'sshkey', 'host']) {
          t.not(first(name), '', name)
          t.equal(second(name), first(name), `${name} stays`)
        }
        t.ok(Number(second('now')) > Number(first('now')), 'the time does not go back')
        t.equal(second('failed'), '', 'no unit failed')
        await print(t, box, printer)
        t.equal(printer.connections.filter(isLabel).length, labels + 1, 'no second start label')
      },
    )
  },
)

function boot(card: string, log: string, env: NodeJS.ProcessEnv = {}): Promise<Box> {
  return Box.start(card, log, isBoard ? 'boot-raspi3b' : 'boot-virt', env)
}

/** Returns the answer of GET /info; undefined, and a skip, if this machine is too slow to tell anything. */
async function answer(t: Test, box: Box): Promise<unknown> {
  const begin = Date.now()
  const response = await box.untilAnswers('/info', BOOT_MS).catch((error: unknown) => error)
  const kernel = startOfSystemd(box.log)
  if (kernel > SLOW_S) {
    const why = `this machine is too slow: the guest's kernel alone took ${kernel} s`
    t.pass('an answer by HTTP', { skip: why })
    return undefined
  }
  if (!(response instanceof Response)) throw response
  t.comment(`HTTP after ${Math.round((Date.now() - begin) / 1000)} s, the kernel took ${kernel} s`)
  return await response.json()
}

/** Seconds of the guest's clock until systemd spoke for the first time; 0 when it did not. */
function startOfSystemd(log: string): number {
  const text = readFileSync(log, 'latin1')
  return Number(/\[ *(\d+)\.\d+\] systemd\[1\]:/.exec(text)?.[1] ?? 0)
}

/** Returns the values that STATE printed, by name. */
async function readFacts(t: Test, box: Box): Promise<(name: string) => string> {
  const text = await box.run(STATE)
  t.comment(text)
  const facts = new Map(
    text.split('\n').map((line) => [line.split('=')[0], line.replace(/^[^=]*=/, '')]),
  )
  return (name) => facts.get(name) ?? ''
}

function checkSystem(t: Test, of: (name: string) => string): void {
  t.match(of('root'), /^ro,/, 'the root is read-only')
  t.match(of('touch'), /Read-only file system/)
  t.equal(of('reserved'), '', 'root B is reserved')
  t.ok(Number(of('data')) > 400_000, 'the data partition grew to the card')
  t.equal(of('failed'), '', 'no unit failed')
  t.match(of('id'), /^([0-9a-f]{32}) \1$/, 'the machine id lies on the data partition')
  t.match(of('name'), /^printserver-[0-9a-f]{4}$/)
  t.match(of('names'), 'printserver.local')
  t.ok(Number(of('used')) <= 120 * 1024, `used memory ${of('used')} kB`)
  t.ok(Number(of('exposure')) <= 2, `systemd-analyze security ${of('exposure')}`)
  t.match(of('status'), /http:\/\/10.0.2.15\//)
  t.match(of('shadow'), /^root:\*:/)
  t.equal(of('logs'), 'tmpfs /run/log/journal', 'the log lives in memory')
  t.ok(Number(of('now')) > 1_760_000_000, 'the time is not that of 1970, without a clock chip')
  if (isBoard) {
    t.match(of('board'), 'Raspberry Pi 3 Model B')
    t.match(of('card_device'), /^\/dev\/mmcblk0p4/)
    t.match(of('light'), /\[(?:default-on|timer|heartbeat)\]/, 'the light is lit', {
      skip: of('light') === '' && 'QEMU has no light: its firmware tells the kernel of none',
    })
  }
  t.end()
}

function checkImport(t: Test, of: (name: string) => string): void {
  t.match(of('host'), '"host": ""', 'the configuration of the card holds')
  t.match(of('psk'), /psk=[0-9a-f]{64}/)
  t.equal(of('secret'), '', 'the Wi-Fi password is nowhere on the FAT partition')
  t.match(of('import'), /two words/, 'what was wrong is explained')
  t.match(of('import'), /1 key\(s\) may log in/)
  t.end()
}

/** Prints a picture by HTTP and waits until the printer has it. */
async function print(t: Test, box: Box, printer: TcpSink): Promise<void> {
  const picture = readFileSync(join(ROOT, 'docs/label.png'))
  const before = printer.connections.length
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ label: picture.toString('base64') }),
  }
  const response = await box.fetch('/', init, 300_000)
  t.match(await response.json(), { Status: 'OK', jobs: [{ format: 'png' }] })
  const label = await received(printer, before)
  t.match(Buffer.from(label).toString('latin1'), /\^GFA,/)
}

/** The bytes of the first label from a connection on, as soon as it has ended. */
async function received(printer: TcpSink, from: number): Promise<Uint8Array> {
  const end = Date.now() + BOOT_MS
  for (;;) {
    const found = printer.connections.slice(from).find(isLabel)
    if (found !== undefined && found.state !== 'open') return found.bytes
    if (Date.now() > end) throw new Error('no label came')
    await sleep(500)
  }
}

/** Between the labels the server asks the printer how it is. */
function isLabel({ bytes }: { bytes: Uint8Array }): boolean {
  return Buffer.from(bytes).includes('^GF')
}

function makeKey(folder: string, name: string): string {
  const file = join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
  return file
}

function sshTo(box: Box, folder: string, key: string, command: string): readonly string[] {
  const settings = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=no',
    `UserKnownHostsFile=${join(folder, 'known_hosts')}`,
    'ConnectTimeout=300',
  ]
  const where = ['-F', 'none', '-i', key, '-p', String(box.sshPort), 'root@127.0.0.1']
  return [...settings.flatMap((each) => ['-o', each]), ...where, command]
}
