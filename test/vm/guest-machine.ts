import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveRequests } from './host-requests.ts'
import { QemuMonitor } from './qemu-monitor.ts'
import { ZplStandIn } from './zpl-stand-in.ts'

const ROOT = join(import.meta.dirname, '../..')
const PORTS = 4 // emulated USB ports, dummy_udc.0 to .3
const MEMORY_MB = 1024
const ENDED_EARLY = 98

/** Machines that the guest can be, by Debian's names. */
export type Arch = 'amd64' | 'arm64'

/** The task of the guest. */
export interface GuestRun {
  readonly arch: Arch
  /** The tree that the guest sees as `/`, under a throw-away overlay. */
  readonly root: string
  /** Seen as /run/out in the guest, writable; gets console.log. */
  readonly out: string
  readonly limitMs: number
  /** For bash, in the checkout. */
  readonly command: string
  /** The starter of the command: nothing else in the guest, or the systemd of `root` (made by unit-root.sh). */
  readonly init: 'alone' | 'systemd'
}

/**
 * QEMU's program and machine. Software emulation always: a /dev/kvm is not a proof that guests run under it. One processor:
 * with two, QEMU 7.2 now and then runs a translation of code that the other one has just changed (a kernel died so while
 * it patched itself, and Node changes its code all the time), and on shared cores it takes twice as long.
 */
const MACHINES: Record<Arch, { program: string; arguments: string; console: string }> = {
  amd64: {
    program: 'qemu-system-x86_64',
    arguments: '-M q35 -accel tcg -cpu max -smp 1',
    console: 'ttyS0',
  },
  arm64: {
    program: 'qemu-system-aarch64',
    arguments: '-M virt -accel tcg -cpu cortex-a72 -smp 1',
    console: 'ttyAMA0',
  },
}

/** The guest that is quickest here. */
export function hostArch(): Arch {
  return process.arch === 'arm64' ? 'arm64' : 'amd64'
}

/** The kernel's folder, made when it is not there; or the sentence why there is no guest on this machine. */
export function prepareKernel(arch: Arch): { folder: string } | { missing: string } {
  const { program } = MACHINES[arch]
  if (process.platform !== 'linux') return { missing: 'the guest is built from Debian packages' }
  for (const needed of [program, 'apt-get', 'dpkg-deb', 'depmod', 'cpio', 'xz', 'zstd']) {
    const folders = `${process.env['PATH']}:/usr/sbin:/sbin`.split(':')
    if (!folders.some((folder) => existsSync(join(folder, needed)))) {
      return { missing: `${needed} is not installed (make test-packages, as root)` }
    }
  }
  try {
    const cache = join(ROOT, '.cache/vm')
    const made = execFileSync(join(import.meta.dirname, 'build.sh'), [cache, arch], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    })
    return { folder: made.trim() }
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const why = stderr.trim().split('\n').at(-1) ?? ''
    return { missing: `no kernel package for the guest could be had: ${why}` }
  }
}

/** The end of a guest. */
interface End {
  /** The command's exit code; 124 = over the limit, 98 = the guest ended early. */
  readonly code: number
  /** The command had begun to write. */
  readonly hasSpoken: boolean
}

/**
 * Runs the command to its end and resolves with its exit code (see End). An emulated kernel that dies before the command has said
 * anything is not news of the program: it is told on standard error and started once more.
 */
export async function runGuest(run: GuestRun): Promise<number> {
  const { code, hasSpoken } = await startGuest(run)
  if (code !== ENDED_EARLY || hasSpoken) return code
  process.stderr.write('the guest ended before its command began: it is started once more\n')
  return (await startGuest(run)).code
}

async function startGuest(run: GuestRun): Promise<End> {
  const kernel = prepareKernel(run.arch)
  if ('missing' in kernel) throw new Error(kernel.missing)
  mkdirSync(run.out, { recursive: true })
  rmSync(join(run.out, 'exit-code'), { force: true })
  const path = `${join(ROOT, 'node_modules/.bin')}:$PATH` // the pinned Node
  writeFileSync(join(run.out, 'command.sh'), `cd ${ROOT}\nexport PATH=${path}\n${run.command}\n`)
  const lines = mkdtempSync(join(tmpdir(), 'platen-vm-')) // a unix socket's path has at most 107 bytes
  try {
    return await runQemu(run, kernel.folder, lines)
  } finally {
    rmSync(lines, { recursive: true, force: true })
  }
}

async function runQemu(run: GuestRun, kernel: string, lines: string): Promise<End> {
  const take = (name: string) => takeOne(join(lines, name))
  const output = await take('output')
  const adapter = await take('adapter')
  const peer = await take('peer')
  const requests = await take('requests')
  const machine = MACHINES[run.arch]
  const child = spawn(machine.program, listArguments(run, kernel, lines), {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let trace = ''
  child.stderr.on('data', (text: Buffer) => {
    trace += text.toString()
  })
  const monitor = new QemuMonitor(child.stdin, child.stdout)
  let hasSpoken = false
  void output.connected.then((socket) => {
    socket.once('data', () => {
      hasSpoken = true
    })
    socket.pipe(process.stdout, { end: false })
  })
  const printer = new ZplStandIn()
  // The serial adapter's wire ends here, where questions are answered, and in the guest again, which sees what was printed;
  // QEMU cannot be its own peer.
  void Promise.all([adapter.connected, peer.connected]).then(([one, other]) => {
    one.on('data', (bytes: Buffer) => {
      const answer = printer.hear(bytes)
      if (answer !== '') one.write(answer, 'latin1')
    })
    one.pipe(other).pipe(one)
  })
  void requests.connected.then((socket) =>
    serveRequests(socket, { monitor, printer, trace: () => trace }),
  )
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, run.limitMs)
  const stop = () => child.kill('SIGKILL')
  process.once('SIGTERM', stop)
  await once(child, 'close')
  process.off('SIGTERM', stop)
  clearTimeout(timer)
  if (isLate) return { code: 124, hasSpoken }
  const file = join(run.out, 'exit-code')
  if (existsSync(file)) return { code: Number(readFileSync(file, 'utf8')), hasSpoken }
  process.stderr.write(`the guest ended early:\n${trace}`)
  return { code: ENDED_EARLY, hasSpoken }
}

/** A server of one connection; `connected` resolves with it. */
async function takeOne(path: string): Promise<{ connected: Promise<Socket> }> {
  const server = createServer()
  const connected = once(server, 'connection').then(([socket]) => {
    server.close()
    // QEMU ends with bytes of ours unread.
    return (socket as Socket).on('error', () => {})
  })
  server.listen(path)
  await once(server, 'listening')
  return { connected }
}

function listArguments(run: GuestRun, kernel: string, lines: string): string[] {
  const machine = MACHINES[run.arch]
  const elf = join(kernel, 'vmlinux')
  const checkout = run.root === '/' ? '' : ` guest.checkout=${ROOT}`
  const line = (name: string) => `socket,id=${name},path=${join(lines, name)}`
  const port = (name: string, nr: number) => [
    '-chardev',
    line(name),
    '-device',
    `virtserialport,chardev=${name},name=${name},nr=${nr}`,
  ]
  return [
    ...machine.arguments.split(' '),
    '-m',
    String(MEMORY_MB),
    '-nodefaults',
    '-no-user-config',
    '-no-reboot',
    '-display',
    'none',
    '-serial',
    `file:${join(run.out, 'console.log')}`,
    '-qmp',
    'stdio',
    '-kernel',
    existsSync(elf) ? elf : join(kernel, 'vmlinuz'),
    '-initrd',
    join(kernel, 'initrd.img'),
    '-append',
    // no_timer_check: on a busy host the emulated timer misses the kernel's test of it, and the kernel panics.
    `console=${machine.console} quiet loglevel=4 panic=-1 no_timer_check random.trust_cpu=on mitigations=off cryptomgr.notests guest.ports=${PORTS} guest.init=${run.init}${checkout}`,
    '-virtfs',
    `local,path=${run.root},mount_tag=host,security_model=none,readonly=on,multidevs=remap`,
    '-virtfs',
    `local,path=${run.out},mount_tag=out,security_model=none`,
    ...(run.root === '/' ? [] : listCheckout()),
    '-device',
    'qemu-xhci,id=xhci',
    '-chardev',
    line('adapter'),
    '-device',
    'virtio-serial-pci',
    ...port('output', 1),
    ...port('peer', 2),
    ...port('requests', 3),
    '-trace',
    'usb_serial_set_*',
  ]
}

/** A tree of its own has no checkout in it. */
function listCheckout(): string[] {
  return [
    '-virtfs',
    `local,path=${ROOT},mount_tag=checkout,security_model=none,readonly=on,multidevs=remap`,
  ]
}
