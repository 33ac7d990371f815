// The process that reads PDFs burned a processor for ever when the server was killed in the middle of a page without an end, had all
// rights of the server, and its environment, in which systemd names the folder of its secrets.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { poll } from '../until.ts'

t.setTimeout(300_000)

const isLinux = process.platform === 'linux' ? false : 'processes are found in /proc'

/** A server of its own that reads an endless page; its id and that of its child. */
async function startEndless(t: Test): Promise<{ parent: ChildProcess; child: number }> {
  const parent = fork(join(import.meta.dirname, 'endless-child.ts'), [], {
    env: { ...process.env, CREDENTIALS_DIRECTORY: '/run/secret', PLATEN_SECRET: 'x' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.teardown(() => parent.kill('SIGKILL'))
  const [word] = await once(parent, 'message')
  t.equal(word, 'asked')
  const found = (): number | undefined => childrenOf(parent.pid ?? 0)[0]
  await poll('the child to be there', () => found() !== undefined)
  return { parent, child: found() ?? 0 }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => statOf(one)?.parent === pid)
}

function statOf(pid: number): { parent: number; state: string; ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', parent: Number(fields[1]), ticks: Number(fields[11]) }
  } catch {
    return undefined
  }
}

t.test('it ends with the server, however that ends', { skip: isLinux }, async (t) => {
  const { parent, child } = await startEndless(t)
  await poll('the page to be drawn', () => (statOf(child)?.ticks ?? 0) > 60)
  const ended = once(parent, 'exit')
  parent.kill('SIGKILL')
  await ended
  await poll('the child to end', () => [undefined, 'Z'].includes(statOf(child)?.state))
})

t.test(
  'it has neither the environment nor the rights of the server',
  { skip: isLinux },
  async (t) => {
    const { child } = await startEndless(t)
    const names = readFileSync(`/proc/${child}/environ`, 'utf8').split('\0')
    const known = /^(?:NODE_CHANNEL_|MALLOC_|$)/
    t.same(
      names.filter((one) => !known.test(one)),
      [],
    )
    const line = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0')
    t.ok(line.includes('--permission'))
    t.same(
      line.filter((one) => /allow-(?:child-process|addons|wasi|net)/.test(one)),
      [],
    )
    const rights = line.slice(
      1,
      line.findIndex((one) => one.endsWith('.ts')),
    )
    // The same rights, asked by another program in the same folders.
    const folder = t.testdir({ 'secret.txt': 'x' })
    const probe = `
    const fs = require('node:fs')
    const tries = { read: () => fs.readFileSync(${JSON.stringify(join(folder, 'secret.txt'))}), passwd: () => fs.readFileSync('/etc/passwd'),
      write: () => fs.writeFileSync(${JSON.stringify(join(folder, 'new.txt'))}, ''), run: () => require('node:child_process').execSync('true') }
    for (const [name, work] of Object.entries(tries)) { try { work(); console.log(name) } catch (error) { if (error.code !== 'ERR_ACCESS_DENIED') console.log(name, error.code) } }`
    const asked = spawn(process.execPath, [...rights, '-e', probe], { env: {} })
    let said = ''
    asked.stdout.on('data', (data) => {
      said += data
    })
    await once(asked, 'close')
    t.equal(said, '', 'each is refused')
  },
)
