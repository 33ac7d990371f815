import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { findClosedPort } from '../listen.ts'
import { answers, placeMade, send, until, WINE, Wine } from './wine.ts'

t.setTimeout(1_200_000)

const PROGRAMS = 'users/shop/AppData/Local/Programs/platen'
const ROAMING = 'users/shop/AppData/Roaming'
const UNINSTALL = `C:\\${PROGRAMS.replaceAll('/', '\\')}\\uninstall.exe`
const RUN_KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run'
const zpl = (words: string) => Buffer.from(`^XA^FO50,50^A0N,60^FD${words}^FS^XZ`)
const ADDRESS = 'http://127.0.0.1:8080'

t.test('the setup for Windows, under Wine', WINE, async (t) => {
  const wine = await Wine.open(t)
  placeMade('platen-*-setup.exe', join(wine.makeFolder('Downloads'), 'platen-setup.exe'))
  placeMade('platen-*.msi', join(wine.drive, 'Downloads/platen.msi'))
  const sink = await TcpSink.openFor(t)
  const heard = (words: string) =>
    sink.connections.filter(({ bytes }) => Buffer.from(bytes).includes(`^FD${words}^`)).length
  const configure = (...printers: readonly object[]) => {
    wine.makeFolder(`${ROAMING}/platen`)
    const settings = JSON.stringify({ printers, open_browser: true })
    writeFileSync(join(wine.drive, ROAMING, 'platen/config.json'), settings)
    execFileSync('chown', ['-R', '1000:1000', join(wine.drive, ROAMING, 'platen')])
  }
  const install = () => wine.run(['platen-setup.exe', '/S'], 'Downloads')
  const net = { name: 'Net', uri: sink.uri, language: 'zpl' }

  await t.test('it installs without a question, and the server runs', async (t) => {
    configure(net)
    t.equal((await install()).code, 0)
    await answers()
    for (const name of ['platen.exe', 'platenw.exe', 'uninstall.exe'])
      t.ok(existsSync(join(wine.drive, PROGRAMS, name)), name)
    const menu = `${ROAMING}/Microsoft/Windows/Start Menu/Programs/platen/platen.lnk`
    t.ok(existsSync(join(wine.drive, menu)))
    t.match((await wine.run(['reg', 'query', RUN_KEY])).text, /platenw\.exe" --no-browser/)
    t.same(wine.opened, [], 'a silent setup opens no page')
    t.match(await send(zpl('installed'), 'Net'), { Status: 'OK' })
    t.equal(heard('installed'), 1)
  })

  await t.test('it is there after the next login, and prints', async (t) => {
    await wine.logInAgain()
    await answers()
    t.match(await send(zpl('login'), 'Net'), { Status: 'OK' })
    t.equal(heard('login'), 1)
    t.same(wine.opened, [])
  })

  await t.test('installed over itself it keeps a label that waits', async (t) => {
    const port = await findClosedPort()
    const off = { name: 'Off', uri: `socket://127.0.0.1:${port}`, language: 'zpl' }
    const platen = `C:\\${PROGRAMS.replaceAll('/', '\\')}\\platen.exe`
    t.match(await wine.run([platen, 'stop']), { code: 0 })
    configure(net, off)
    wine.start([platen, '--no-browser'])
    await answers()
    await send(zpl('waits'), 'Off', 1)
    configure(net, { ...off, uri: sink.uri })
    t.equal((await install()).code, 0)
    await until(() => heard('waits') === 1, 'it prints under the new program')
    await answers()
  })

  await t.test('uninstalled it is gone, and settings and labels stay', async (t) => {
    t.equal((await wine.run([UNINSTALL, '/S'])).code, 0)
    await until(() => !existsSync(join(wine.drive, PROGRAMS)), 'the programs are gone')
    await t.rejects(fetch(ADDRESS), 'nothing runs')
    t.notMatch((await wine.run(['reg', 'query', RUN_KEY])).text, 'platenw')
    t.ok(existsSync(join(wine.drive, ROAMING, 'platen/config.json')))
    t.ok(existsSync(join(wine.drive, 'users/shop/AppData/Local/platen/spool.db')))
  })

  await t.test('the MSI installs and uninstalls without a question', async (t) => {
    t.equal((await wine.run(['msiexec', '/i', 'platen.msi', '/qn'], 'Downloads')).code, 0)
    t.ok(existsSync(join(wine.drive, PROGRAMS, 'platenw.exe')))
    t.match((await wine.run(['reg', 'query', RUN_KEY])).text, /platenw\.exe" --no-browser/)
    t.equal((await wine.run(['msiexec', '/x', 'platen.msi', '/qn'], 'Downloads')).code, 0)
    t.notOk(existsSync(join(wine.drive, PROGRAMS, 'platenw.exe')))
  })
})
