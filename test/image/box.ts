import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findClosedPort } from '../listen.ts'

const ROOT = join(import.meta.dirname, '../..')
const LINE = 200 // characters: the guest's line editing breaks longer ones
/** A whole line of it; neither BEGIN nor END is one. */
const BASE64 = /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BETWEEN_MS = 150 // the emulated serial line loses what comes faster

/** The image, running in QEMU. */
export class Box {
  /** Port here that is the guest's 8080. */
  readonly port: number
  /** Port here that is the guest's 22. */
  readonly sshPort: number
  readonly log: string
  readonly #machine: ChildProcess
  #console: Socket | undefined
  #seen = ''

  private constructor(machine: ChildProcess, port: number, sshPort: number, log: string) {
    this.port = port
    this.sshPort = sshPort
    this.log = log
    this.#machine = machine
  }

  /** Starts a copy of an image, which it writes to. `script` is that of image/qemu/, `env` what it reads. */
  static async start(
    image: string,
    log: string,
    script = 'boot-virt',
    env: NodeJS.ProcessEnv = {},
  ): Promise<Box> {
    const port = await findClosedPort()
    const sshPort = await findClosedPort()
    const machine = spawn(join(ROOT, 'image/qemu', script), [image, String(port), log], {
      env: { ...process.env, ROOT_SHELL: '1', SSH_PORT: String(sshPort), ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return new Box(machine, port, sshPort, log)
  }

  /** Asks the guest over HTTP. QEMU takes connections before the guest listens: each try has its own limit. */
  async fetch(path: string, init: RequestInit = {}, limitMs = 30_000): Promise<Response> {
    return await fetch(`http://127.0.0.1:${this.port}${path}`, {
      ...init,
      signal: AbortSignal.timeout(limitMs),
    })
  }

  /** Resolves with what `path` answers as soon as it does. */
  async untilAnswers(path: string, limitMs: number): Promise<Response> {
    const end = Date.now() + limitMs
    for (;;) {
      try {
        const response = await this.fetch(path, {}, 10_000)
        if (response.ok) return response
      } catch (error) {
        if (Date.now() > end) throw this.#fault('no answer', error)
      }
      if (Date.now() > end) throw this.#fault(`${path} stays bad`)
      if (this.#machine.exitCode !== null) throw this.#fault('QEMU ended')
      await sleep(500)
    }
  }

  /** Runs a shell script as root in the guest; gives what it printed. */
  async run(script: string, limitMs = 600_000): Promise<string> {
    const end = Date.now() + limitMs
    this.#console ??= this.#open()
    // The quotes keep the echo of a command from looking like its answer.
    this.#seen = ''
    this.#say('\x03')
    this.#say('stty -echo; TERM=dumb; PS1=; echo RE""ADY')
    await this.#until(/READY/, end)
    this.#say(': >/run/script.b64')
    for (const line of Buffer.from(script)
      .toString('base64')
      .match(/.{1,200}/g) ?? []) {
      this.#say(`echo ${line.slice(0, LINE)} >>/run/script.b64`)
      await sleep(BETWEEN_MS)
    }
    this.#seen = ''
    this.#say(
      'echo BE""GIN; base64 -d /run/script.b64 >/run/script.sh; bash /run/script.sh </dev/null >/run/script.out 2>&1; echo; base64 -w 120 /run/script.out; echo E""ND',
    )
    const [text] = await this.#until(/BEGIN.*?\bEND\b/s, end)
    // The kernel writes on the same line: only what is base64 counts.
    const lines = text.split(/\r?\n/).filter((line) => BASE64.test(line))
    return Buffer.from(lines.join(''), 'base64').toString()
  }

  /** Resolves when the machine has reset or switched itself off, which QEMU ends with. */
  async untilOff(limitMs: number): Promise<void> {
    const end = Date.now() + limitMs
    while (this.#machine.exitCode === null && this.#machine.signalCode === null) {
      if (Date.now() > end) throw this.#fault('it is still on')
      await sleep(500)
    }
    this.#console?.destroy()
  }

  /** Cuts the power. */
  async cut(): Promise<void> {
    this.#console?.destroy()
    if (this.#machine.exitCode !== null || this.#machine.signalCode !== null) return
    const exit = once(this.#machine, 'exit')
    this.#machine.kill('SIGKILL')
    await exit
  }

  /** With the console's end: the log itself is gone when the test has ended. */
  #fault(what: string, cause?: unknown): Error {
    const end = existsSync(this.log) ? readFileSync(this.log, 'latin1').slice(-2000) : ''
    return new Error(`${what}; the console's end: ${end}`, { cause })
  }

  #open(): Socket {
    const socket = connect(`${this.log}.sock`)
    socket.on('data', (data) => {
      this.#seen += data.toString('latin1')
    })
    return socket
  }

  #say(text: string): void {
    this.#console?.write(`${text}\n`)
  }

  async #until(pattern: RegExp, end: number): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#seen)
      if (match !== null) return match
      if (Date.now() > end) throw this.#fault(`${pattern} did not come`)
      await sleep(200)
    }
  }
}

/** Tells why the tests of the image are skipped; false when they can run. */
export function whyNoImage(): string | false {
  const image = process.env['IMAGE'] ?? ''
  if (image === '') return 'make test-image tests the SD image'
  const needs = [image, 'qemu-system-aarch64', 'mcopy', 'debugfs', 'sfdisk', 'ssh-keygen']
  const lacks = needs.filter(
    (name) => !['', '/usr/bin/', '/usr/sbin/'].some((folder) => existsSync(`${folder}${name}`)),
  )
  return lacks.length > 0 && `this machine lacks ${lacks.join(', ')}`
}

/** Puts a file onto the FAT partition of an image, as a person does with any PC. */
export function dropFile(image: string, name: string, text: string): void {
  execFileSync('mcopy', ['-o', '-i', `${image}@@4M`, '-', `::/platen/${name}`], { input: text })
}

/** Reads a file of the FAT partition. */
export function readDropped(image: string, name: string): string {
  return execFileSync('mtype', ['-i', `${image}@@4M`, `::/platen/${name}`], { encoding: 'utf8' })
}
