import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'

t.setTimeout(600_000)

const ROOT = join(import.meta.dirname, '../..')
const isHere = process.platform === 'linux' && process.arch === 'x64'

/** A folder outside of the project, where no node_modules of ours can be found by chance. */
function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'platen-program-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts it as a user would, prints a picture (the thread) over HTTPS (the child), asks it to end. */
async function prints(t: Test, command: string, args: readonly string[], folder: string) {
  const config = join(folder, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({ port: '0', use_ssl: true, secure_port: '0', open_browser: false }),
  )
  const { NODE_V8_COVERAGE, NODE_OPTIONS, ...env } = process.env
  const server = spawn(command, [...args, '--demo', '--config', config], {
    cwd: folder,
    env: {
      ...env,
      HOME: folder,
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      STATE_DIRECTORY: join(folder, 'state'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  const address = /http:\S+\//.exec(String(line))?.[0] ?? ''
  const { secure_port: securePort } = (await (await fetch(`${address}info`)).json()) as {
    secure_port: string
  }
  t.match(securePort, /^\d+$/, 'the child has made the certificates')
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=30' },
    body: JSON.stringify({ label: readFileSync(join(ROOT, 'docs/label.png')).toString('base64') }),
  })
  t.match(await response.json(), { Status: 'OK', jobs: [{ format: 'png', state: 'completed' }] })
  t.equal((await fetch(`${address}printers`)).status, 200)
  await fetch(`${address}shutdown`)
  const [code] = await once(server, 'exit')
  t.equal(code, 0)
}

t.test('the npm package installs into an empty folder and prints', async (t) => {
  const folder = makeFolder(t)
  const name = execFileSync('packaging/npm.sh', [folder], { cwd: ROOT, encoding: 'utf8' }).trim()
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', `./${name}`]
  execFileSync('npm', install, { cwd: folder, stdio: 'inherit' })
  const pages = join(folder, 'node_modules/platen/docs')
  t.ok(existsSync(join(pages, 'operate.md')), 'the pages that its sentences name are there')
  t.ok(existsSync(join(folder, 'node_modules/usb/package.json')), 'with the native parts')
  await prints(t, 'npx', ['platen'], folder)
})

t.test(
  'the single executable needs nothing else and prints',
  isHere ? {} : { skip: 'executables are run on Linux on x86-64 only' },
  async (t) => {
    const folder = makeFolder(t)
    execFileSync('packaging/single.sh', [folder, 'linux-x64'], { cwd: ROOT, stdio: 'pipe' })
    const [file = ''] = readdirSync(folder)
    await prints(t, join(folder, file), [], folder)
    const [build = ''] = readdirSync(join(folder, '.cache/platen'))
    t.match(build, /^\d+\.\d+\.\d+-[0-9a-f]{16}$/, 'the program lies there once')
    t.match(
      execFileSync(join(folder, file), ['--version'], { encoding: 'utf8', env: { HOME: folder } }),
      /^\d/,
    )
    t.same(readdirSync(join(folder, '.cache/platen')), [build])
  },
)
