import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Pty } from '../devices/pty.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { startServer } from '../e2e/server.ts'
import { findClosedPort } from '../listen.ts'
import { answers, placeMade, send, until, WINE, Wine } from './wine.ts'

t.setTimeout(1_200_000)

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = 'Users2/Jörg Müller/Own Programs'
const EXE = `C:\\${FOLDER.replaceAll('/', '\\')}\\platen.exe`
const EXE_W = EXE.replace('platen.exe', 'platenw.exe')
const LOCAL = 'users/shop/AppData/Local/platen'
const CONFIG = 'users/shop/AppData/Roaming/platen/config.json'
const PNG = readFileSync(join(ROOT, 'docs/label.png'))
const zpl = (words: string) => Buffer.from(`^XA^FO50,50^A0N,60^FD${words}^FS^XZ`)
const ADDRESS = 'http://127.0.0.1:8080'

t.test('the executables for Windows, under Wine', WINE, async (t) => {
  const wine = await Wine.open(t)
  const folder = wine.makeFolder(FOLDER)
  for (const name of ['platen', 'platenw'])
    placeMade(`${name}-*-win32-x64.exe`, join(folder, `${name}.exe`))
  const config = join(wine.drive, CONFIG)
  const configure = (settings: object) => writeFileSync(config, JSON.stringify(settings))
  const start = async (program = EXE) => {
    const started = wine.start([program], FOLDER)
    await answers()
    return started
  }
  const stop = async () => void (await wine.run([EXE, 'stop'], FOLDER))

  await t.test('the first start writes a configuration and opens the page', async (t) => {
    const { child, read } = await start()
    t.match(JSON.parse(readFileSync(config, 'utf8')), { port: '8080', open_browser: true })
    await until(() => wine.opened.includes('http://localhost:8080/'), 'the page is opened')
    t.match(await (await fetch(`${ADDRESS}/`)).text(), '<h1 class="brand">')
    t.match(await (await fetch(`${ADDRESS}/info`)).json(), { name: 'platen', port: '8080' })
    t.match(read(), 'listens on http://localhost:8080/')
    t.ok(existsSync(join(wine.drive, LOCAL, 'spool.db')))
    const exited = once(child, 'exit')
    t.match(await wine.run([EXE, 'stop'], FOLDER), {
      code: 0,
      text: 'The print server has stopped',
    })
    t.equal((await exited)[0], 0)
  })

  const sink = await TcpSink.openFor(t)
  const printer = { name: 'Net', uri: sink.uri, language: 'zpl' }

  await t.test('a picture comes out byte for byte as on Linux', async (t) => {
    configure({ printers: [printer], open_browser: false })
    await start()
    t.match(await send(PNG, 'Net'), { Status: 'OK', jobs: [{ state: 'completed' }] })
    const here = await label(sink, '^GFA')
    const linux = await startServer(t, { folder: t.testdir(), config: { printers: [printer] } })
    await fetch(linux.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=30' },
      body: JSON.stringify({ label: PNG.toString('base64'), printer: 'Net' }),
    })
    const there = await label(sink, '^GFA', 1)
    t.ok(here.length > 1000)
    t.ok(here.equals(there))
  })

  await t.test('platen print sends a file to it', async (t) => {
    writeFileSync(join(folder, 'Größe.zpl'), zpl('shell'))
    const printed = await wine.run([EXE, 'print', 'Größe.zpl', '--printer', 'Net'], FOLDER)
    t.match(printed, { code: 0, text: 'taken by the print server' })
    t.ok((await label(sink, '^FDshell')).length > 20)
  })

  await t.test('a second start opens the page of the first', async (t) => {
    const before = wine.opened.length
    const second = await wine.run([EXE], FOLDER)
    t.match(second, { code: 1, text: 'It runs already: its page is http://localhost:8080/' })
    await until(() => wine.opened.length > before, 'the page is opened')
    t.equal(wine.opened.at(-1), 'http://localhost:8080/')
  })

  await t.test(
    'killed with labels waiting, it prints each of them once after the start',
    async (t) => {
      await stop()
      const port = await findClosedPort()
      configure({
        printers: [printer, { name: 'Off', uri: `socket://127.0.0.1:${port}`, language: 'zpl' }],
        open_browser: false,
      })
      await start()
      for (const words of ['one', 'two']) t.match(await send(zpl(words), 'Off', 1), { jobs: [{}] })
      wine.kill('platen.exe')
      await until(
        () =>
          fetch(ADDRESS).then(
            () => false,
            () => true,
          ),
        'it is gone',
      )
      configure({
        printers: [printer, { name: 'Off', uri: sink.uri, language: 'zpl' }],
        open_browser: false,
      })
      await start()
      const all = () => sink.connections.map(({ bytes }) => Buffer.from(bytes).toString()).join('')
      await until(() => all().includes('^FDtwo'), 'both labels')
      const labels = all()
      t.equal(labels.split('^FDone^FS').length, 2)
      t.ok(labels.indexOf('^FDone') < labels.indexOf('^FDtwo'), 'in order')
    },
  )

  await t.test('what a cleaner took away from the unpacked program comes back', async (t) => {
    await stop()
    const [gone = ''] = globSync(join(wine.drive, LOCAL, 'program/*/page-and-api-*.js'))
    const [cut = ''] = globSync(join(wine.drive, LOCAL, 'program/*/web/main.js'))
    rmSync(gone)
    writeFileSync(cut, 'x')
    await start()
    t.equal((await fetch(`${ADDRESS}/printers`)).status, 200)
    t.ok(existsSync(gone))
    t.ok(readFileSync(cut).length > 100)
  })

  await t.test('Ctrl-C in a console stops it in good order', async (t) => {
    await stop()
    const command = JSON.stringify(wine.arguments(['wine', EXE]))
    const console = spawn('python3', ['-c', IN_CONSOLE, command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const told = await text(console.stdout)
    t.match(told, /listens on http/)
    t.match(told, /"msg":"stopped"/)
    t.match(told, /ended with 0\n$/)
  })

  await t.test('a printer on COM5 is asked, stops the flow and goes on', async (t) => {
    const pty = new Pty()
    t.teardown(() => pty.unplug())
    chownSync(pty.path, 1000, 1000)
    await wine.run([
      'reg',
      'add',
      'HKLM\\Software\\Wine\\Ports',
      '/v',
      'COM5',
      '/d',
      pty.path,
      '/f',
    ])
    await wine.close()
    wine.keep()
    const uri = 'serial:COM5?baud=115200&flow=xonxoff'
    configure({ printers: [printer, { name: 'Line', uri, language: 'zpl' }], open_browser: false })
    let told = 0
    const answering = setInterval(() => {
      const asked = pty.received.toString('latin1').split('~HS').length - 1
      while (told < asked) {
        pty.say(
          '\x02030,0,0,1218,000,0,0,0,000,0,0,0\x03\r\n\x02000,0,0,0,0,2,4,0,00000000,1,000\x03\r\n\x020000,0\x03\r\n',
        )
        told += 1
      }
    }, 50)
    t.teardown(() => clearInterval(answering))
    await start() // it asks the printer at once
    const isConfirmed = async () =>
      (await send(zpl('by line'), 'Line')).jobs[0]?.delivery === 'confirmed'
    await until(isConfirmed, 'it is known that the printer answers')
    t.match(pty.received.toString('latin1'), '^FDby line^FS')
    pty.say('\x13') // XOFF
    const big = Buffer.concat([zpl('big'), Buffer.alloc(60_000, '^FX filler')])
    const [job] = (await send(Buffer.concat([big, zpl('end')]), 'Line', 3)).jobs
    t.not(job?.state, 'completed', 'it waits while the printer has stopped the flow')
    pty.say('\x11') // XON
    await until(() => pty.received.includes('^FDend^FS'), 'the rest')
  })

  let cupsd: ChildProcess
  await t.test('a printer of Windows prints by its own print system', async (t) => {
    await stop()
    cupsd = await makeQueue(wine, 'Zebra ZD420')
    await wine.close()
    wine.keep()
    configure({ printers: [printer], open_browser: false })
    await start()
    const uri = 'winspool:Zebra_ZD420'
    const search = async () => await (await fetch(`${ADDRESS}/printers/found`)).text()
    await until(async () => (await search()).includes(`"${uri}"`), 'it is found')
    await fetch(`${ADDRESS}/printers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Queue', uri, language: 'zpl' }),
    })
    t.match(await send(zpl('spooled'), 'Queue'), { jobs: [{ state: 'completed' }] })
    const file = join(wine.root, 'var/spool/cups/printed')
    await until(() => existsSync(file) && readFileSync(file).includes('^FDspooled'), 'CUPS has it')
    t.ok(readFileSync(file).equals(zpl('spooled')), 'byte for byte')
  })

  await t.test('a print system that hangs holds up its own printer alone', async (t) => {
    cupsd.kill('SIGSTOP') // what Wine's spooler waits for
    const sent = send(zpl('hung'), 'Queue', 60)
    const processing = async () => {
      const jobs = await (await fetch(`${ADDRESS}/jobs?state=processing`)).json()
      return JSON.stringify(jobs).includes('Queue')
    }
    await until(processing, 'the spooler has the label')
    for (let count = 0; count < 20; count += 1) {
      t.ok((await fetch(`${ADDRESS}/healthz`)).ok)
      t.match(await send(zpl(`beside ${count}`), 'Net'), { jobs: [{ state: 'completed' }] })
    }
    t.match(await (await fetch(`${ADDRESS}/printers/found`)).json(), {}, 'a search ends too')
    t.ok(await processing(), 'it still hangs, twenty labels later')
    cupsd.kill('SIGCONT')
    t.match(await sent, { jobs: [{ state: 'completed' }] })
    const file = join(wine.root, 'var/spool/cups/printed')
    await until(() => readFileSync(file).includes('^FDhung'), 'it prints when the spooler goes on')
    t.equal(readFileSync(file, 'utf8').split('^FDhung').length, 2, 'once')
  })

  await t.test('without a console it keeps a log file', async (t) => {
    await stop()
    configure({ printers: [printer], open_browser: false })
    await wine.run(['start', EXE_W], FOLDER)
    await answers()
    t.match(await send(zpl('no console'), 'Net'), { Status: 'OK' })
    const log = readFileSync(join(wine.drive, LOCAL, 'platen.log'), 'utf8')
    t.match(log, /"msg":"printed"/)
    await stop()
    t.match(readFileSync(join(wine.drive, LOCAL, 'platen.log'), 'utf8'), /"msg":"stopped"/)
  })

  await t.test('a broken configuration is told in a page', async (t) => {
    writeFileSync(config, '{"port": 8080,\n "printer": }')
    const before = wine.opened.length
    for (const [key, value] of BROWSER)
      await wine.run(['reg', 'add', `HKCR\\${key}`, '/ve', '/d', value, '/f'])
    await wine.run(['start', '/wait', EXE_W], FOLDER)
    await until(() => wine.opened.length > before, 'a page is opened')
    const opened = wine.opened.at(-1) ?? ''
    t.match(opened, /^file:.*platen\.html$/)
    const page = readFileSync(join(wine.root, fileURLToPath(opened)), 'utf8')
    t.match(page, /config\.json: line 2.*Correct config\.json and start again/s)
    t.match(readFileSync(join(wine.drive, LOCAL, 'platen.log'), 'utf8'), /"msg":"start failed"/)
    const told = await wine.run([EXE], FOLDER)
    t.match(told, { code: 78, text: 'config.json: line 2' }, 'and on the command line as ever')
  })

  await t.test('it is a service of Windows', async (t) => {
    const settings = join(wine.makeFolder('ProgramData/platen'), 'config.json')
    writeFileSync(settings, JSON.stringify({ printers: [printer], open_browser: false }))
    execFileSync('chown', ['1000:1000', settings])
    t.match(await wine.run([EXE, 'service', 'status'], FOLDER), { code: 4 })
    t.match(await wine.run([EXE, 'service', 'install'], FOLDER), {
      code: 0,
      text: /runs as a service/,
    })
    await answers()
    t.match(await wine.run([EXE, 'service', 'status'], FOLDER), { code: 0, text: /runs/ })
    t.match(await send(zpl('service'), 'Net'), { Status: 'OK', jobs: [{ state: 'completed' }] })
    t.match(await wine.run(['sc', 'stop', 'platen']), { code: 0 })
    const log = join(wine.drive, 'ProgramData/platen/platen.log')
    await until(
      () => readFileSync(log, 'utf8').includes('"msg":"stopped"'),
      'it stops in good order',
    )
    t.match(await wine.run([EXE, 'service', 'status'], FOLDER), { code: 3, text: /does not run/ })
    t.match(await wine.run([EXE, 'service', 'remove'], FOLDER), { code: 0 })
    t.match(await wine.run([EXE, 'service', 'status'], FOLDER), { code: 4 })
  })
})

/** Returns a label that a printer got with these words in it, the first or a later one. */
async function label(sink: TcpSink, words: string, nth = 0): Promise<Buffer> {
  const find = () =>
    sink.connections.filter(({ bytes, state }) => {
      return state === 'ended' && Buffer.from(bytes).includes(words)
    })[nth]
  await until(() => find() !== undefined, `a label with ${words}`)
  return Buffer.from(find()?.bytes ?? [])
}

/** Wine's own browser for pages of files needs more of Wine than is here. */
const BROWSER = [
  ['.html', 'htmlfile'],
  ['htmlfile\\shell\\open\\command', 'winebrowser.exe "%1"'],
] as const

/** Runs chroot with these arguments in a terminal, presses Ctrl-C once it listens, says how it ended. */
const IN_CONSOLE = `
import json, os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp('chroot', ['chroot'] + json.loads(sys.argv[1]))
text = b''; pressed = False
while True:
    try: got = os.read(fd, 65536)
    except OSError: break
    if not got: break
    text += got
    if b'listens on' in text and not pressed: pressed = True; os.write(fd, b'\\x03')
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.write(text.decode('utf8', 'replace') + f'\\nended with {code}\\n')
`

/** A raw queue of a real CUPS, which Wine shows as an installed printer; what it prints is a file. */
async function makeQueue(wine: Wine, name: string): Promise<ChildProcess> {
  const { root } = wine
  const backend = join(root, 'usr/lib/cups/backend/keep')
  const script = '#!/bin/sh\n[ $# = 0 ] || cat >>/var/spool/cups/printed $6\n'
  writeFileSync(backend, script, { mode: 0o700 })
  const files = join(root, 'etc/cups/cups-files.conf')
  writeFileSync(files, `${readFileSync(files, 'utf8')}\nSystemGroup root\n`)
  const cupsd = spawn('chroot', [root, 'cupsd', '-f'], { stdio: 'ignore' })
  t.teardown(() => cupsd.kill('SIGKILL'))
  const queue = name.replaceAll(' ', '_')
  const admin = ['lpadmin', '-p', queue, '-E', '-v', 'keep:/', '-m', 'raw']
  const isMade = () => {
    execFileSync('chroot', [root, ...admin], { stdio: 'ignore' })
    return true
  }
  await until(isMade, 'CUPS makes a queue')
  return cupsd
}
