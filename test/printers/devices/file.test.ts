import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createFileDevice } from '../../../src/printers/devices/file.ts'
import { conforms, makeLabel, type Rig } from '../../conformance/device.ts'

const limit = () => AbortSignal.timeout(60_000)

function readJobs(folder: string): Uint8Array[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.prn'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => readFileSync(join(folder, name)))
}

function makeRig(t: Test): Promise<Rig> {
  const folder = t.testdir()
  return Promise.resolve({
    device: createFileDevice(folder),
    uri: new URL('file:bench'),
    received: () => Promise.resolve(readJobs(join(folder, 'bench'))),
  })
}

t.test('the virtual printer is a device', (t) =>
  conforms(t, makeRig, {
    nowhere: 'a folder is made when it is missing',
    stall: 'a folder always takes data',
    unplug: 'a folder cannot be unplugged',
    confirm: 'a file is not paper: nothing to confirm',
  }),
)

t.test('a virtual printer is a plain name, never a path', (t) => {
  const { check } = createFileDevice('.')
  for (const text of ['file:virtual', 'file:Bench 2', 'file:Pack.Tisch_1', 'file:B%C3%BCro']) {
    t.equal(check(new URL(text), text), undefined, text)
    t.equal(check(new URL(text)), undefined, text)
  }
  const bad = ['file:', 'file:../x', 'file:/etc', 'file:///etc', 'file://host/x', 'file:a/b']
  bad.push('file:..', 'file:.hidden', 'file:a%2Fb', 'file:%', 'file:a\\b', 'file:a?b', 'file:x#y')
  for (const text of bad) {
    t.match(check(new URL(text), text), /without slashes/, text)
  }
  t.end()
})

t.test('a virtual printer never shares a file or folder with the print server itself', (t) => {
  const { check } = createFileDevice('.')
  const src = join(import.meta.dirname, '../../../src')
  const sources = globSync('**/*.ts', { cwd: src }).map((name) =>
    readFileSync(join(src, name), 'utf8'),
  )
  const kept = sources.flatMap((text) =>
    [...text.matchAll(/join\((?:\w+\.)*stateFolder, '([^']+)'/g)].map(([, name = '']) => name),
  )
  t.ok(kept.length >= 8, `the source names ${kept}`)
  const more = [
    'secret',
    'keys.json',
    'keys.json.turn',
    'keys-used.json',
    'address',
    'platen.log.1',
    'spool.db',
    'spool.db-wal',
    'spool.corrupt-1.db',
    'config.json',
    'TLS',
  ]
  for (const name of [...kept, ...more]) {
    const text = `file:${name}`
    t.match(check(new URL(text), text), 'keeps something of its own there', text)
  }
  for (const name of ['spooler', 'pinboard', 'tls bench']) {
    t.equal(check(new URL(`file:${name}`), `file:${name}`), undefined, name)
  }
  t.end()
})

t.test('a path that got past the configuration opens nothing', async (t) => {
  const folder = t.testdir()
  const device = createFileDevice(join(folder, 'state'))
  await t.rejects(device.open(new URL('file:..%2Foutside'), limit()), { code: 'PRINTER_OFFLINE' })
  t.same(readdirSync(folder), [])
})

t.test('the picture of a label lies beside its bytes', async (t) => {
  const folder = t.testdir()
  {
    await using connection = await createFileDevice(folder).open(new URL('file:bench'), limit())
    await connection.send(makeLabel(10), limit())
    await connection.keepPicture?.(makeLabel(20))
  }
  t.same(readdirSync(join(folder, 'bench')).sort(), ['1.png', '1.prn'])
  t.equal(readFileSync(join(folder, 'bench', '1.png')).length, 20)
})

t.test('the last 200 jobs are kept, and files of others are left alone', async (t) => {
  const folder = t.testdir()
  const bench = join(folder, 'bench')
  mkdirSync(bench)
  for (let number = 1; number <= 205; number++) {
    writeFileSync(join(bench, `${number}.prn`), 'x')
    writeFileSync(join(bench, `${number}.png`), 'x')
  }
  writeFileSync(join(bench, 'notes.txt'), 'mine')
  {
    await using connection = await createFileDevice(folder).open(new URL('file:bench'), limit())
    await connection.send(makeLabel(10), limit())
  }
  const names = new Set(readdirSync(bench))
  t.equal([...names].filter((name) => name.endsWith('.prn')).length, 200)
  t.ok(names.has('206.prn') && names.has('7.prn') && names.has('7.png') && names.has('notes.txt'))
  t.notOk(names.has('6.prn') || names.has('6.png'))
})

t.test('a folder that cannot be written is said in words', async (t) => {
  const folder = t.testdir({ bench: 'a file, not a folder' })
  const device = createFileDevice(folder)
  const wanted = { code: 'PRINTER_OFFLINE', message: /virtual printer bench.*EEXIST/ }
  await t.rejects(device.open(new URL('file:bench'), limit()), wanted)
  await t.rejects(device.open(new URL('file:bench'), limit()), wanted)
})

t.test('a write that fails says how much was taken', async (t) => {
  const connection = await createFileDevice(t.testdir()).open(new URL('file:bench'), limit())
  await connection[Symbol.asyncDispose]()
  await t.rejects(connection.send(makeLabel(10), limit()), { code: 'PRINTER_LOST', accepted: 0 })
})
