import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { SETTINGS } from '../../packaging/container/oci.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { findClosedPort, listen } from '../listen.ts'
import { until } from '../until.ts'
import { make, needing } from './debian.ts'

t.setTimeout(900_000)

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const USER = 10_000
const STATE = '/var/lib/platen'
const TOOLS = ['mmdebstrap', 'skopeo', 'umoci'].map((name) => `/usr/bin/${name}`)
const NODE = '/usr/lib/platen/bin/node'
const NOTHING = () => undefined

t.test('the Dockerfile says what the image made without an engine says', (t) => {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ')
  const last = text.slice(text.lastIndexOf('\nFROM '))
  const say = (word: string) => new RegExp(`^${word} +(.*)$`, 'm').exec(last)?.[1]?.trim() ?? ''
  t.same(say('ENV').split(/ +/).sort(), SETTINGS.Env.filter((each) => !/^PATH=/.test(each)).sort())
  t.same(JSON.parse(say('ENTRYPOINT')), SETTINGS.Entrypoint)
  t.equal(say('USER'), SETTINGS.User)
  t.same([say('VOLUME')], Object.keys(SETTINGS.Volumes))
  t.equal(say('WORKDIR'), SETTINGS.WorkingDir)
  t.equal(say('STOPSIGNAL'), SETTINGS.StopSignal)
  t.same([`${say('EXPOSE')}/tcp`], Object.keys(SETTINGS.ExposedPorts))
  t.same(JSON.parse(`[${say('HEALTHCHECK').split('[')[1]}`), SETTINGS.Healthcheck.Test.slice(1))
  t.end()
})

t.test('the health check reads the settings as the server does', async (t) => {
  const server = createServer((_request, response) => response.end())
  const port = await listen(t, server)
  const file = join(t.testdir(), 'config.json')
  const start = join(ROOT, 'packaging/container/start.cjs')
  const env = { ...process.env, PLATEN_CONFIG: file }
  for (const text of [
    `{"host":"","port":"${port}"}`,
    `\uFEFF{"port":${port}}`, // of an editor on Windows
    `{"host":null,"port":"${port}"}`, // as good as left out
  ]) {
    writeFileSync(file, text)
    await t.resolves(run(process.execPath, [start, 'health'], { env }), text)
  }
  const state = dirname(file)
  writeFileSync(join(state, 'address'), `http://172.17.0.2:${port}/\n${file}\n`)
  writeFileSync(file, `{"host":"","port":"${await findClosedPort()}"}`)
  const again = { ...env, STATE_DIRECTORY: state }
  const asked = run(process.execPath, [start, 'health'], { env: again })
  await t.resolves(asked, 'another port counts from the next start')
})

t.test('first settings for which there is no room are not left half written', async (t) => {
  const folder = t.testdir({ lib: { 'platen.js': '' }, share: { 'config.json': '{"host":""}' } })
  const start = join(folder, 'lib/start.cjs')
  cpSync(join(ROOT, 'packaging/container/start.cjs'), start)
  const config = join(folder, 'config.json')
  const begin = (room: string) =>
    run('sh', ['-c', 'ulimit -f "$1" && exec "$2" "$3"', 'sh', room, process.execPath, start], {
      env: { ...bareEnvironment(), PLATEN_CONFIG: config },
    })
  await t.rejects(begin('0'), { code: 73 })
  t.notOk(existsSync(config))
  await begin('unlimited')
  t.same(JSON.parse(readFileSync(config, 'utf8')), { host: '' })
})

t.test('a wrong variable is told, and the next start reads the corrected one', async (t) => {
  const program = `import(${JSON.stringify(join(ROOT, 'packaging/launcher/platen.js'))})`
  const folder = t.testdir({ lib: { 'platen.js': program }, share: { 'config.json': '{}' } })
  const start = join(folder, 'lib/start.cjs')
  cpSync(join(ROOT, 'packaging/container/start.cjs'), start)
  const config = join(folder, 'config.json')
  const begin = (hosts: string) =>
    run(process.execPath, [start, '--check-config'], {
      env: { ...bareEnvironment(), PLATEN_CONFIG: config, PLATEN_HOSTS: hosts },
    })
  const stderr = /^allowed_hosts\[1\]: got "https:.*\nCorrect PLATEN_HOSTS, .* and start again\.\n$/
  await t.rejects(begin('192.0.2.7, https://shop.example'), { code: 78, stderr })
  t.notOk(existsSync(config))
  await begin('192.0.2.7, shop.example')
  t.match(JSON.parse(readFileSync(config, 'utf8')), {
    allowed_hosts: ['192.0.2.7', 'shop.example'],
  })
})

t.test(
  'a password that is blank or cannot be read is told: later starts would not look',
  async (t) => {
    const files = { 'config.json': '{}', blank: '\n' }
    const folder = t.testdir({ lib: { 'platen.js': '' }, share: files })
    const start = join(folder, 'lib/start.cjs')
    cpSync(join(ROOT, 'packaging/container/start.cjs'), start)
    const config = join(folder, 'config.json')
    const begin = (more: object) =>
      run(process.execPath, [start], {
        env: { ...bareEnvironment(), PLATEN_CONFIG: config, ...more },
      })
    const blank = {
      code: 78,
      stderr: /^The password is blank\.\nSet PLATEN_PASSWORD or leave it out\.\n$/,
    }
    await t.rejects(begin({ PLATEN_PASSWORD: '' }), blank)
    await t.rejects(begin({ PLATEN_PASSWORD_FILE: join(folder, 'share/blank') }), blank)
    const missing = join(folder, 'share/none')
    const stderr = new RegExp(`^ENOENT: .*\\n${missing} must be readable by user \\d+\\.\\n$`)
    await t.rejects(begin({ PLATEN_PASSWORD_FILE: missing }), { code: 78, stderr })
    t.notOk(existsSync(config))
    await begin({ PLATEN_PASSWORD: 'open sesame' })
    t.match(JSON.parse(readFileSync(config, 'utf8')), {
      username: 'admin',
      password: 'open sesame',
    })
  },
)

// It fetches parts of a Debian; `make test-container` runs it.
const CONTAINER = {
  ...needing([...TOOLS, '/usr/sbin/runc']),
  ...(process.env['PLATEN_CONTAINER'] === '1' ? {} : { skip: 'make test-container runs it' }),
}

t.test('the container image, unpacked by umoci and run by runc', CONTAINER, async (t) => {
  const folder = makeFolder(t)
  await make('container.sh', [folder, 'amd64'])
  const [tar = ''] = execFileSync('sh', ['-c', `ls ${folder}/*.tar`], { encoding: 'utf8' }).split(
    '\n',
  )
  const image = await unpackImage(folder, tar)

  await t.test('engines of both kinds read what it says', async (t) => {
    const read = async (kind: string) =>
      JSON.parse((await run('skopeo', ['inspect', '--config', '--raw', `${kind}:${tar}`])).stdout)
    const { Healthcheck, ...rest } = SETTINGS
    t.match(await read('oci-archive'), { os: 'linux', architecture: 'amd64', config: rest })
    t.match(await read('docker-archive'), { config: { User: rest.User, Healthcheck } })
  })

  await t.test('a first start takes its settings from the environment', async (t) => {
    const env = ['PLATEN_PASSWORD=open sesame', 'PLATEN_HOSTS=shop.example, 192.0.2.7']
    const { ask, exec } = start(t, image, { volume: makeVolume(folder), env, isApart: true })
    await until(
      'it is well',
      async () => (await exec([NODE, SETTINGS.Entrypoint[1] ?? '', 'health'])) === 0 || undefined,
    )
    t.equal(await ask('/', { host: 'shop.example' }), 200)
    t.equal(await ask('/', { host: 'other.example' }), 403)
    t.equal(await ask('/config', {}), 401, 'settings are closed')
    t.equal(await ask('/config', { authorization: `Basic ${btoa('admin:open sesame')}` }), 200)
  })

  const sink = await TcpSink.openFor(t)
  const volume = makeVolume(folder)
  const port = await findClosedPort()
  const address = `http://127.0.0.1:${port}`
  const configure = (away: string) => {
    const printers = [
      { name: 'Net', uri: sink.uri, language: 'zpl' },
      { name: 'Off', uri: away, language: 'zpl' },
    ]
    const settings = { host: '127.0.0.1', port: String(port), open_browser: false, printers }
    const file = join(volume, 'config.json')
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 })
    chownSync(file, USER, USER)
  }
  const send = async (words: string, printer: string, wait: number) => {
    const label = Buffer.from(`^XA^FO50,50^A0N,60^FD${words}^FS^XZ`).toString('base64')
    const headers = { 'content-type': 'application/json', prefer: `wait=${wait}` }
    const body = JSON.stringify({ label, printer })
    return await (await fetch(address, { method: 'POST', headers, body })).json()
  }
  const heard = (words: string) =>
    sink.connections.filter(({ bytes }) => Buffer.from(bytes).includes(`^FD${words}^`)).length
  const isWell = async () => (await fetch(`${address}/healthz`)).ok
  const answers = () => until('it answers', () => isWell().then((ok) => ok || undefined, NOTHING))

  await t.test('it prints with a root that nobody can write, and no capability', async (t) => {
    configure(`socket://127.0.0.1:${await findClosedPort()}`)
    const { pid, exec } = start(t, image, { volume })
    await answers()
    t.match(await send('first', 'Net', 60), { Status: 'OK', jobs: [{ state: 'completed' }] })
    t.equal(heard('first'), 1)
    const status = readFileSync(`/proc/${await pid()}/status`, 'utf8')
    t.match(status, new RegExp(`^Uid:(?:\\t${USER}){4}$`, 'm'))
    for (const kind of ['Prm', 'Eff', 'Bnd', 'Amb'])
      t.match(status, `Cap${kind}:\t0000000000000000`)
    const write = (file: string) => [NODE, '-e', `require('fs').writeFileSync('${file}', '')`]
    t.not(await exec(write('/usr/lib/platen/x')), 0)
    t.not(await exec(write('/tmp/x')), 0)
    t.equal(await exec(write(`${STATE}/x`)), 0)
    t.match(await send('waits', 'Off', 0), { jobs: [{}] })
    process.kill(await pid(), 'SIGKILL')
  })

  await t.test('killed, a new container on the same volume prints what waited, once', async (t) => {
    configure(sink.uri)
    const { exec, stop } = start(t, image, { volume })
    await answers()
    await until('the label', async () => heard('waits') > 0 || undefined)
    t.match(await send('after', 'Off', 60), { jobs: [{ state: 'completed' }] })
    t.equal(heard('waits'), 1)
    t.equal(heard('first'), 1)
    t.equal(await exec([NODE, SETTINGS.Entrypoint[1] ?? '', 'health']), 0)
    t.equal(await stop(), 0, 'SIGTERM ends it in good order')
  })

  await t.test('a volume that its user cannot write is told in a sentence', async (t) => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o755 })
    const { ended, log } = start(t, image, { volume: closed, isApart: true })
    t.equal((await ended)[0], 73)
    t.match(log(), /must be writable by user 10000: see docs\/containers\.md/)
  })

  await t.test('the one for arm64 is made of the same', async (t) => {
    await make('container.sh', [folder, 'arm64'])
    const other = await unpackImage(folder, tar.replace('amd64', 'arm64'))
    const machine = (file: string) => readFileSync(join(other, 'rootfs', file)).readUInt16LE(18)
    for (const file of ['usr/lib/platen/bin/node', 'usr/lib/aarch64-linux-gnu/libstdc++.so.6'])
      t.equal(machine(file), 183, `${file} is for ARM64`) // EM_AARCH64 of elf(5)
  })
})

function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'platen-container-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let count = 0

/** Makes a new volume as an engine does: it belongs to the user of the image. */
function makeVolume(folder: string): string {
  const volume = join(folder, `volume-${count++}`)
  mkdirSync(volume, { mode: 0o750 })
  chownSync(volume, USER, USER)
  return volume
}

/** A bundle of runc: config.json and rootfs. */
async function unpackImage(folder: string, tar: string): Promise<string> {
  const name = `unpacked-${count++}`
  await run('skopeo', ['copy', '-q', `oci-archive:${tar}`, `oci:${join(folder, name)}-layout:x`])
  await run('umoci', ['unpack', '--image', `${join(folder, name)}-layout:x`, join(folder, name)])
  return join(folder, name)
}

interface Options {
  readonly volume: string
  readonly env?: readonly string[]
  /** In a network of its own, else in that of this computer. */
  readonly isApart?: boolean
}

/** Starts it as `docker run --read-only --cap-drop ALL --security-opt no-new-privileges -v VOLUME:/var/lib/platen` would. */
function start(t: Test, image: string, { volume, env = [], isApart = false }: Options) {
  const bundle = `${image}-${count}`
  const id = `platen-test-${process.pid}-${count++}`
  mkdirSync(bundle)
  const spec = JSON.parse(readFileSync(join(image, 'config.json'), 'utf8'))
  spec.root = { path: join(image, 'rootfs'), readonly: true }
  const none: readonly string[] = []
  const capabilities = {
    bounding: none,
    effective: none,
    inheritable: none,
    permitted: none,
    ambient: none,
  }
  Object.assign(spec.process, { terminal: false, noNewPrivileges: true, capabilities })
  spec.process.env.push(...env)
  spec.mounts.push({ destination: STATE, type: 'bind', source: volume, options: ['rbind', 'rw'] })
  if (!isApart)
    spec.linux.namespaces = spec.linux.namespaces.filter(
      ({ type }: { type: string }) => type !== 'network',
    )
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec))
  const { NODE_OPTIONS, NODE_V8_COVERAGE, ...rest } = process.env
  const child = spawn('runc', ['run', '--bundle', bundle, id], {
    env: rest,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  const ended = once(child, 'close')
  const remove = () => run('runc', ['delete', '--force', id]).catch(() => undefined)
  t.teardown(async () => {
    await remove()
    await ended
  })
  const pid = async (): Promise<number> => JSON.parse((await run('runc', ['state', id])).stdout).pid
  const exec = async (command: readonly string[]): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>()
    execFile('runc', ['exec', id, ...command], (error) => resolve(Number(error?.code ?? 0)))
    return await promise
  }
  /** The status with which it answers inside. */
  const ask = async (path: string, headers: Readonly<Record<string, string>>) => {
    const options = JSON.stringify({ port: 8080, host: '127.0.0.1', path, headers })
    const code = `require('http').get(${options}, (answer) => console.log(answer.statusCode))`
    return Number((await run('runc', ['exec', id, NODE, '-e', code])).stdout)
  }
  const stop = async (): Promise<unknown> => {
    await run('runc', ['kill', id, 'TERM'])
    return (await ended)[0]
  }
  return { ended, log: () => text, pid, exec, ask, stop }
}
