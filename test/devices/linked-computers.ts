import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Test } from 'tap'

const run = promisify(execFile)
const NEEDED = ['/usr/sbin/avahi-daemon', '/usr/bin/dbus-daemon', '/usr/bin/ippfind', '/usr/bin/ip']

/** The reason why the test can have no computers of its own here, or false. */
export const skipComputers: string | false = !NEEDED.every((file) => existsSync(file))
  ? 'a program is missing (packages avahi-daemon, dbus, cups-ipp-utils, iproute2)'
  : spawnSync('unshare', ['-n', '-m', '-u', 'ip', 'link', 'add', 'br0', 'type', 'bridge'])
        .status !== 0
    ? 'networks of the test alone are made as root (unshare)'
    : false

/** A computer of a little network: it has a name, an address, folders of /run and files of /etc of its own. */
export class Computer {
  readonly address: string
  readonly #pid: number

  constructor(pid: number, address: string) {
    this.#pid = pid
    this.address = address
  }

  /** A command as it is run there. */
  enter(...command: readonly string[]): readonly [string, ...string[]] {
    const here = ['sh', '-c', 'cd "$0" && exec "$@"', process.cwd()]
    return ['nsenter', '-t', String(this.#pid), '-n', '-m', '-u', ...here, ...command]
  }

  /** Returns the output of a command, whatever its exit code. */
  async run(...command: readonly string[]): Promise<string> {
    const [program, ...args] = this.enter(...command)
    const options = { timeout: 120_000, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
    const { stdout, stderr } = await run(program, args, options).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => error,
    )
    return stdout + stderr
  }

  /** A program that runs until the test ends. */
  start(t: Test, ...command: readonly string[]): ChildProcess {
    const [program, ...args] = this.enter(...command)
    const child = spawn(program, args, { stdio: 'ignore' })
    t.teardown(() => end(child))
    return child
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/**
 * Computers on one cable, in namespaces: the last one, who looks for the others, has an avahi. `names` are their host names;
 * two may have the same. Nothing of it is seen outside.
 */
export async function linkComputers(
  t: Test,
  names: readonly string[],
): Promise<readonly Computer[]> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-net-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const addresses = names.map((_, n) => `10.9.0.${n + 1}`)
  // Instead of nss-mdns, which every client of a home has.
  const hosts = names.map((name, n) => `${addresses[n]} ${name}.local\n`)
  writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost\n::1 localhost\n${hosts.join('')}`)
  const computers: Computer[] = []
  const pids: number[] = []
  for (const [n, name] of names.entries()) {
    const { computer, pid } = await boot(t, name, addresses[n] ?? '')
    computers.push(computer)
    pids.push(pid)
  }
  const last = computers.at(-1) as Computer
  await plug(computers, pids, join(folder, 'hosts'))
  await startAvahi(t, last, folder, names.at(-1) ?? '')
  return computers
}

async function boot(t: Test, name: string, address: string) {
  const script = `hostname '${name}' && ip link set lo up && exec sleep infinity`
  const own = ['-n', '-m', '-u', '--propagation', 'private', 'sh', '-c', script]
  const child = spawn('unshare', own, { stdio: 'ignore' })
  t.teardown(() => end(child))
  const pid = child.pid ?? 0
  const computer = new Computer(pid, address)
  while ((await computer.run('hostname')).trim() !== name) await wait(20)
  for (const path of ['/run/dbus', '/run/avahi-daemon', '/run/cups']) {
    mkdirSync(path, { recursive: true })
    await computer.run('mount', '-t', 'tmpfs', 'none', path)
  }
  return { computer, pid }
}

/** The last computer has the switch. */
async function plug(
  computers: readonly Computer[],
  pids: readonly number[],
  hosts: string,
): Promise<void> {
  const middle = computers.at(-1) as Computer
  const at = String(pids.at(-1))
  // The queries of mDNS must not wait for the switch to learn who listens.
  await middle.run('ip', 'link', 'add', 'eth0', 'type', 'bridge', 'mcast_snooping', '0')
  for (const [n, computer] of computers.slice(0, -1).entries()) {
    const port = `port${n}`
    const peer = ['peer', 'name', 'eth0', 'netns', String(pids[n])]
    execFileSync('ip', ['link', 'add', port, 'netns', at, 'type', 'veth', ...peer])
    await middle.run('ip', 'link', 'set', port, 'master', 'eth0', 'up')
    await computer.run('ip', 'link', 'set', 'eth0', 'up')
  }
  for (const computer of computers) {
    await computer.run('ip', 'link', 'set', 'eth0', 'up')
    await computer.run('ip', 'addr', 'add', `${computer.address}/24`, 'dev', 'eth0')
    await computer.run('ip', 'route', 'add', 'default', 'dev', 'eth0')
    await computer.run('mount', '--bind', hosts, '/etc/hosts')
  }
}

async function startAvahi(
  t: Test,
  computer: Computer,
  folder: string,
  name: string,
): Promise<void> {
  const conf = join(folder, 'avahi.conf')
  writeFileSync(
    conf,
    `[server]\nhost-name=${name}\nuse-ipv6=no\n[publish]\npublish-workstation=no\n`,
  )
  await computer.run('chown', 'messagebus', '/run/dbus')
  await computer.run('chown', 'avahi:avahi', '/run/avahi-daemon')
  computer.start(t, 'dbus-daemon', '--system', '--nofork', '--nopidfile')
  while (!(await computer.run('ls', '/run/dbus')).includes('system_bus_socket')) await wait(50)
  const own = ['--no-drop-root', '--no-chroot', '--no-rlimits']
  computer.start(t, 'avahi-daemon', '-f', conf, ...own)
}
