import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
import { type SentAttribute, SpoolerLine } from '../../src/printers/devices/cups/ipp-client.ts'

/** The behavior of the stand-in printer behind a queue from its next job on. */
export interface BackendManners {
  /** Takes so many bytes, and then ... */
  readonly take?: number
  /** ... fails as a lost printer does, or waits until `resume`. */
  readonly end?: 'fail' | 'hang'
  /** Says this to CUPS when it begins, e.g. `STATE: +media-empty-error`. */
  readonly say?: string
}

/** A run of the backend. */
export interface BackendRun {
  readonly queue: string
  readonly job: number
  readonly bytes: Uint8Array
  /** False while it runs, and when it was cut. */
  readonly isWhole: boolean
}

/** Operations of an operator (RFC 3998, "CUPS Implementation of IPP"). */
const OPERATE = { pause: 0x0010, resume: 0x0011, accept: 0x4008, reject: 0x4009, delete: 0x4004 }
const GET_JOBS = 0x000a
const CUPSD = '/usr/sbin/cupsd'

/** The reason why no cupsd of the test's own can run here, or false. */
export const skipCups: string | false = !existsSync(CUPSD)
  ? 'cupsd is not installed (package cups-daemon)'
  : process.getuid?.() !== 0
    ? 'a cupsd of the test alone is started as root'
    : false

/** A real cupsd with folders, socket and backend of its own: the raw queue `raw` and the queue `driver`, with a PPD. */
export class CupsDaemon {
  readonly folder: string
  readonly socketPath: string
  #child: ChildProcess | undefined

  private constructor(folder: string) {
    this.folder = folder
    this.socketPath = join(folder, 'sock')
  }

  static async start(t: Test, directives: readonly string[] = []): Promise<CupsDaemon> {
    // Not in t.testdir(): the path of a socket has 107 letters at most.
    const daemon = new CupsDaemon(mkdtempSync(join(tmpdir(), 'platen-cups-')))
    t.teardown(async () => {
      await daemon.stop('SIGKILL')
      // Backends end when their folder is gone; one may still write into it meanwhile.
      rmSync(daemon.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
    })
    daemon.#lay(directives)
    await daemon.up()
    return daemon
  }

  /** Starts cupsd, also again, and waits until it listens. */
  async up(): Promise<void> {
    const files = ['-c', join(this.folder, 'cupsd.conf'), '-s', join(this.folder, 'files.conf')]
    const child = spawn(CUPSD, ['-f', ...files], { stdio: 'ignore' })
    this.#child = child
    await this.until(() => {
      if (child.exitCode !== null) throw new Error(`cupsd ended with ${child.exitCode}`)
      return isListening(this.socketPath)
    })
  }

  /** Ends cupsd as systemd does (SIGTERM), or as a crash does; backends that a crash leaves behind go on. */
  async stop(how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(how)
    await exited
  }

  uri(queue: string): URL {
    return new URL(`ipp://localhost/printers/${queue}`)
  }

  /** Changes what the printer behind a queue does with its next job. */
  behave(queue: string, { take = 0, end, say = '' }: BackendManners): void {
    const text = `take=${end === undefined ? '' : take}\nend=${end ?? ''}\nsay='${say}'\n`
    writeFileSync(join(this.folder, 'manners', `${queue}.new`), text)
    renameSync(join(this.folder, 'manners', `${queue}.new`), join(this.folder, 'manners', queue))
  }

  /** Lets printers that hang go on. */
  resume(): void {
    writeFileSync(join(this.folder, 'go'), '')
  }

  /** Operates a queue as an operator does. */
  async operate(what: keyof typeof OPERATE, queue: string): Promise<void> {
    const path = `/printers/${queue}`
    const uri: SentAttribute = {
      name: 'printer-uri',
      tag: 'uri',
      values: [`ipp://localhost${path}`],
    }
    const line = new SpoolerLine({ socketPath: this.socketPath })
    const question = { path: '/admin/', operation: OPERATE[what], attributes: [uri] }
    const { status } = await line.ask(question, limit())
    line.close()
    if (status !== 0) throw new Error(`${what} ${queue}: IPP status ${status}`)
  }

  /** Numbers of the jobs that CUPS has not ended. */
  async openJobs(): Promise<number> {
    const line = new SpoolerLine({ socketPath: this.socketPath })
    const attributes: SentAttribute[] = [
      { name: 'printer-uri', tag: 'uri', values: ['ipp://localhost/'] },
      { name: 'which-jobs', tag: 'keyword', values: ['not-completed'] },
    ]
    const question = { path: '/', operation: GET_JOBS, attributes }
    const { groups } = await line.ask(question, limit())
    line.close()
    return groups.filter(({ tag }) => tag === 2).length
  }

  /** Counts the questions about a job. */
  looks(job: number): number {
    const log = readFileSync(join(this.folder, 'log/error'), 'utf8')
    return log.split(`Get-Job-Attributes ipp://localhost/jobs/${job}\n`).length - 1
  }

  /** Every run of the backend, in the order they began. */
  runs(): readonly BackendRun[] {
    const folder = join(this.folder, 'out')
    const parse = (file: string) => {
      const [, queue = '', job, kind] = file.split(/[ .]/)
      const bytes = readFileSync(join(folder, file))
      return { queue, job: Number(job), bytes, isWhole: kind === 'prn' }
    }
    for (;;) {
      try {
        return readdirSync(folder).sort().map(parse)
      } catch (error) {
        // A file got its last name since the folder was listed.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      }
    }
  }

  /** Resolves when `wanted` says so; asked every 10 ms. */
  async until(wanted: () => boolean | Promise<boolean>): Promise<void> {
    const end = limit()
    while (!(await wanted())) {
      end.throwIfAborted()
      await wait(10)
    }
  }

  /** Resolves when CUPS has no job left. */
  rest(): Promise<void> {
    return this.until(async () => (await this.openJobs()) === 0)
  }

  #lay(directives: readonly string[]): void {
    const path = (...names: string[]) => join(this.folder, ...names)
    const folders = [
      'root/ppd',
      'bin/backend',
      'state',
      'cache',
      'spool',
      'log',
      'tmp',
      'out',
      'manners',
    ]
    for (const name of folders) mkdirSync(path(name), { recursive: true })
    // cupsd starts its backends through a small program of its own.
    for (const name of ['daemon', 'notifier'])
      symlinkSync(`/usr/lib/cups/${name}`, path('bin', name))
    for (const scheme of ['capture', 'usb']) {
      writeFileSync(path('bin/backend', scheme), makeBackend(this.folder))
      chmodSync(path('bin/backend', scheme), 0o700) // CUPS runs what only root may run as root
    }
    writeFileSync(path('cupsd.conf'), makeSettings(this.socketPath, directives))
    writeFileSync(path('files.conf'), makeFiles(this.folder))
    writeFileSync(path('root/printers.conf'), QUEUES)
    writeFileSync(path('root/ppd/driver.ppd'), PPD)
  }
}

/** For one wait: a busy machine is slow. */
const limit = () => AbortSignal.timeout(60_000)

function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const end = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', end(true)).once('error', end(false))
  })
}

/** Writes what it gets into `out/TIME QUEUE JOB.part`, which becomes `.prn` when the job is whole. */
const makeBackend = (folder: string): string => `#!/bin/sh
[ $# -eq 0 ] && exit 0
[ -n "$6" ] && exec < "$6"
cd '${folder}' || exit 1
take='' end='' say=''
[ -e "manners/$PRINTER" ] && . "./manners/$PRINTER"
out="out/$(date +%s%N) $PRINTER $1"
[ -n "$say" ] && echo "$say" >&2
: > "$out.part"
[ -n "$take" ] && head -c "$take" >> "$out.part"
[ "$end" = fail ] && exit 1
if [ "$end" = hang ]; then
  while [ ! -e go ]; do [ -e out ] || exit 1; sleep 0.02; done # the test may be over
fi
cat >> "$out.part"
mv "$out.part" "$out.prn"
`

/** The access rules are those that Debian installs, but for what an operator does, which needs no password here. */
const makeSettings = (socketPath: string, directives: readonly string[]): string => `LogLevel debug
MaxLogSize 0
Listen ${socketPath}
Browsing Off
WebInterface No
DefaultAuthType Basic
${directives.join('\n')}
<Location />
  Order allow,deny
</Location>
<Policy default>
  JobPrivateAccess default
  JobPrivateValues default
  <Limit Create-Job Print-Job Print-URI Validate-Job>
    Order deny,allow
  </Limit>
  <Limit Send-Document Send-URI Hold-Job Release-Job Restart-Job Purge-Jobs Set-Job-Attributes Cancel-My-Jobs Close-Job>
    Require user @OWNER @SYSTEM
    Order deny,allow
  </Limit>
  <Limit Cancel-Job CUPS-Authenticate-Job>
    Require user @OWNER @SYSTEM
    Order deny,allow
  </Limit>
  <Limit All>
    Order deny,allow
  </Limit>
</Policy>
`

const makeFiles = (folder: string): string => `ServerRoot ${folder}/root
ServerBin ${folder}/bin
StateDir ${folder}/state
CacheDir ${folder}/cache
RequestRoot ${folder}/spool
TempDir ${folder}/tmp
DataDir /usr/share/cups
DocumentRoot ${folder}/tmp
AccessLog ${folder}/log/access
ErrorLog ${folder}/log/error
PageLog ${folder}/log/page
SystemGroup root
Printcap
`

const QUEUES = `<Printer raw>
Info A raw queue
DeviceURI capture:/raw
State Idle
Accepting Yes
Shared No
ErrorPolicy stop-printer
</Printer>
<Printer driver>
Info A queue with a driver
MakeModel Zebra ZPL Label Printer
DeviceURI usb://Zebra/LP2844?serial=42J1234&interface=1
State Idle
Accepting Yes
Shared No
ErrorPolicy stop-printer
</Printer>
`

const PPD = `*PPD-Adobe: "4.3"
*FormatVersion: "4.3"
*FileVersion: "1.0"
*LanguageVersion: English
*LanguageEncoding: ISOLatin1
*PCFileName: "ZEBRA.PPD"
*Manufacturer: "Zebra"
*Product: "(Zebra)"
*ModelName: "Zebra ZPL Label Printer"
*ShortNickName: "Zebra ZPL Label Printer"
*NickName: "Zebra ZPL Label Printer"
*PSVersion: "(3010.000) 0"
*LanguageLevel: "3"
*ColorDevice: False
*DefaultColorSpace: Gray
*OpenUI *PageSize/Media Size: PickOne
*DefaultPageSize: w288h432
*PageSize w288h432/4x6: "<</PageSize[288 432]>>setpagedevice"
*CloseUI: *PageSize
*OpenUI *PageRegion/Media Size: PickOne
*DefaultPageRegion: w288h432
*PageRegion w288h432/4x6: "<</PageSize[288 432]>>setpagedevice"
*CloseUI: *PageRegion
*DefaultImageableArea: w288h432
*ImageableArea w288h432/4x6: "0 0 288 432"
*DefaultPaperDimension: w288h432
*PaperDimension w288h432/4x6: "288 432"
`
