import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { until } from '../until.ts'

const run = promisify(execFile)
const NEEDED = [
  '/usr/sbin/cupsd',
  '/usr/bin/lp',
  '/usr/lib/cups/filter/rastertopwg',
  '/usr/lib/cups/filter/pdftopdf',
]

/** The reason why printing as the programs of Linux do is impossible here, or false. */
export const skipCupsClient: string | false = !NEEDED.every((file) => existsSync(file))
  ? 'CUPS is not installed whole (packages cups, cups-client, cups-filters)'
  : process.getuid?.() !== 0
    ? 'a cupsd of the test alone is started as root'
    : false

/** CUPS of Debian as the programs of a computer print with it: its own filters and backends, folders of the test. */
export class CupsClient {
  readonly folder: string
  readonly #within: readonly string[]

  private constructor(folder: string, within: readonly string[]) {
    this.folder = folder
    this.#within = within
  }

  /** `within`: a command that runs it, e.g. on another computer of the test. */
  static async start(t: Test, within: readonly string[] = []): Promise<CupsClient> {
    // Not in t.testdir(): the path of a socket has 107 bytes at most, and filters run as the user lp.
    const client = new CupsClient(mkdtempSync(join(tmpdir(), 'platen-lp-')), within)
    const child = client.#start()
    t.teardown(async () => {
      await end(child)
      rmSync(client.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
    })
    while (!existsSync(join(client.folder, 'sock'))) {
      if (child.exitCode !== null) throw new Error(`cupsd ended with ${child.exitCode}`)
      await wait(20)
    }
    return client
  }

  /** Returns the output of a command, whatever its exit code. */
  async run(...command: readonly string[]): Promise<string> {
    const [program = '', ...args] = [...this.#within, ...command]
    const env = {
      ...process.env,
      CUPS_SERVER: join(this.folder, 'sock'),
      HOME: this.folder,
      LC_ALL: 'C.UTF-8',
    }
    const { stdout, stderr } = await run(program, args, { env, timeout: 120_000 }).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => error,
    )
    return stdout + stderr
  }

  /**
   * Makes a queue of a printer that describes itself; gives what CUPS says to it. CUPS 2.4.2 answers before it has made the
   * queue, in a thread: whatever else it is asked meanwhile finds a queue that takes no document, or ends it with SIGSEGV
   * (OpenPrinting/cups#466).
   */
  async addQueue(name: string, uri: string): Promise<string> {
    const said = await this.run('lpadmin', '-p', name, '-E', '-v', uri, '-m', 'everywhere')
    if (said !== '') return said
    const end = `Printer "${name}" is now available.`
    await until(`CUPS to make the queue ${name}`, async () => this.log().includes(end) || undefined)
    return said
  }

  /** Prints a file; gives the job as CUPS names it, e.g. `bench-1`. */
  async print(queue: string, file: string, ...options: readonly string[]): Promise<string> {
    const said = await this.run('lp', '-d', queue, ...options, file)
    const job = /request id is (\S+)/.exec(said)?.[1]
    if (job === undefined) throw new Error(said)
    return job
  }

  /** Jobs that have not ended. */
  async openJobs(): Promise<readonly string[]> {
    const said = await this.run('lpstat', '-W', 'not-completed', '-o')
    return said.split('\n').flatMap((line) => line.split(' ')[0] || [])
  }

  log(): string {
    return readFileSync(join(this.folder, 'error_log'), 'utf8')
  }

  #start(): ChildProcess {
    const path = (...names: readonly string[]) => join(this.folder, ...names)
    for (const name of ['root/ppd', 'root/ssl', 'state', 'cache', 'spool', 'tmp']) {
      mkdirSync(path(name), { recursive: true })
    }
    chmodSync(this.folder, 0o755)
    chmodSync(path('tmp'), 0o1777)
    writeFileSync(path('cupsd.conf'), makeSettings(this.folder))
    writeFileSync(path('cups-files.conf'), makeFiles(this.folder))
    const args = ['-f', '-c', path('cupsd.conf'), '-s', path('cups-files.conf')]
    const [program = '', ...more] = [...this.#within, '/usr/sbin/cupsd', ...args]
    return spawn(program, more, { stdio: 'ignore' })
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM') // it takes its filters and backends with it
  await exited
}

/** Everybody may do everything; what a printer does is as Debian has it. */
const makeSettings = (folder: string): string => `LogLevel debug
MaxLogSize 0
Listen ${folder}/sock
Browsing No
WebInterface No
DefaultAuthType Basic
<Location />
  Order allow,deny
  Allow all
</Location>
<Policy default>
  JobPrivateAccess default
  JobPrivateValues default
  <Limit All>
    Order deny,allow
  </Limit>
</Policy>
`

const makeFiles = (folder: string): string => `ServerRoot ${folder}/root
ServerBin /usr/lib/cups
DataDir /usr/share/cups
DocumentRoot /usr/share/cups
StateDir ${folder}/state
CacheDir ${folder}/cache
RequestRoot ${folder}/spool
TempDir ${folder}/tmp
ServerKeychain ${folder}/root/ssl
AccessLog ${folder}/access_log
ErrorLog ${folder}/error_log
PageLog ${folder}/page_log
SystemGroup root
Printcap
`
