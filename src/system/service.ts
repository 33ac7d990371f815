import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CommandEnd } from './commands.ts'
import { SERVICE_NAME } from './windows.ts'

/** Sources and places of a service's installation; paths are absolute. */
export interface ServiceGround {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** User ID of the user, who owns what is installed on macOS. */
  readonly uid: number
  /** Command that starts the server: the executable, and the script where it is Node.js. */
  readonly program: readonly [string, ...(readonly string[])]
  /** Undefined = where it usually lies. */
  readonly configFile: string | undefined
  /** Windows: `C:\Program Files` and `C:\ProgramData`. */
  readonly programFiles: string
  readonly programData: string
  readonly run?: (command: readonly string[]) => ProgramExit
  /** Milliseconds between two looks at whether a service has stopped. */
  readonly lookMs?: number
}

/** Exit of a program of the system, and what it said. */
export interface ProgramExit {
  readonly code: number
  readonly text: string
}

/** `platen service install | remove | status`, by the means of each system. */
export function runService(
  verb: 'install' | 'remove' | 'status',
  ground: ServiceGround,
): CommandEnd {
  switch (ground.platform) {
    case 'win32':
      return onWindows(verb, ground)
    case 'darwin':
      return onMac(verb, ground)
    default:
      return onLinux(verb, ground)
  }
}

function runOne([program = '', ...args]: readonly string[]): ProgramExit {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error !== undefined) return { code: 1, text: `${program} does not start: ${error.message}` }
  return { code: status ?? 1, text: `${stdout}${stderr}`.trim() }
}

/** Runs them in turn up to the first that fails. */
function runAll(
  commands: readonly (readonly string[])[],
  { run = runOne }: ServiceGround,
): ProgramExit {
  let last: ProgramExit = { code: 0, text: '' }
  for (const command of commands) {
    last = run(command)
    if (last.code !== 0) return { code: 1, text: `${command.join(' ')}: ${last.text}` }
  }
  return last
}

function tell({ code, text }: ProgramExit, sentence: string): CommandEnd {
  return code === 0 ? { code, text: `${sentence}\n` } : { code: 1, text: `${text}\n` }
}

/** With its arguments; `serve` are those that a service has beside them. */
function listArguments({ program, configFile }: ServiceGround, ...serve: readonly string[]) {
  return [
    ...program,
    ...serve,
    ...(serve.length > 0 ? [] : ['--no-browser']),
    ...(configFile === undefined ? [] : ['--config', configFile]),
  ]
}

/**
 * The unit of the user (systemd.unit(5)). After `platen stop` it stays stopped until the next login. The words of ExecStart
 * are quoted as systemd.service(5) reads them; env, because systemd starts no program whose own name has a quote in it.
 */
export function writeUnit(ground: ServiceGround): string {
  const quote = (word: string) => `"${word.replace(/[\\"]/g, '\\$&').replace(/[%$]/g, '$&$&')}"`
  return `[Unit]
Description=platen label print server
After=network.target
[Service]
ExecStart=/usr/bin/env ${listArguments(ground).map(quote).join(' ')}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=78
TimeoutStopSec=20
[Install]
WantedBy=default.target
`
}

function onLinux(verb: string, ground: ServiceGround): CommandEnd {
  const { join } = path.posix
  const file = join(ground.home, '.config/systemd/user/platen.service')
  const systemctl = (...words: readonly string[]) => ['systemctl', '--user', ...words]
  if (verb === 'status')
    return describe(runAll([systemctl('is-active', 'platen')], ground), existsSync(file))
  if (verb === 'remove') {
    if (existsSync(file)) runAll([systemctl('disable', '--now', 'platen')], ground)
    rmSync(file, { force: true })
    return tell(runAll([systemctl('daemon-reload')], ground), REMOVED)
  }
  put(file, writeUnit(ground))
  // A start would leave one that runs with the configuration of before.
  const begin = [systemctl('enable', 'platen'), systemctl('restart', 'platen')]
  const commands = [systemctl('daemon-reload'), ...begin]
  const hint = 'So that it runs while nobody is logged in: loginctl enable-linger'
  return tell(runAll(commands, ground), `The print server starts at each login. ${hint}`)
}

const LABEL = 'platen' // its name for launchctl

/** Writes the service as an agent of launchd: launchd.plist(5). */
export function writeAgent(ground: ServiceGround): string {
  const text = (word: string) => word.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const words = listArguments(ground).map((word) => `    <string>${text(word)}</string>`)
  const log = `${ground.home}/Library/Logs/platen/platen.log`
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>PLATEN_LOG_FILE</key><string>${text(log)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>20</integer>
  <key>ProcessType</key><string>Interactive</string>
</dict>
</plist>
`
}

function onMac(verb: string, ground: ServiceGround): CommandEnd {
  const file = path.posix.join(ground.home, 'Library/LaunchAgents/platen.plist')
  const domain = `gui/${ground.uid}`
  const look = () => runAll([['launchctl', 'print', `${domain}/${LABEL}`]], ground)
  if (verb === 'status') return describe(look(), existsSync(file))
  // Also before a new install: launchd reads a changed file only then, and one that is not there is not a failure.
  runAll([['launchctl', 'bootout', `${domain}/${LABEL}`]], ground)
  if (verb === 'remove') {
    rmSync(file, { force: true })
    return { code: 0, text: `${REMOVED}\n` }
  }
  // launchd still knows it while it finishes a label, and takes no other until then.
  waitUntil(() => look().code !== 0, ground)
  put(file, writeAgent(ground))
  const start = ['launchctl', 'bootstrap', domain, file]
  return tell(runAll([start], ground), 'The print server starts at each login.')
}

/**
 * A service of Windows runs as LocalService, which sees no files of the user: the program is copied to where only
 * administrators write, and its folder belongs to it and to them alone, because passwords stand in the settings.
 */
function onWindows(verb: string, ground: ServiceGround): CommandEnd {
  const { join } = path.win32
  const sc = (...words: readonly string[]) => ['sc.exe', ...words]
  if (verb === 'status') return describeWindows(runAll([sc('query', SERVICE_NAME)], ground))
  const folder = join(ground.programFiles, 'platen')
  if (verb === 'remove') {
    runAll([sc('stop', SERVICE_NAME)], ground)
    return tell(
      runAll([sc('delete', SERVICE_NAME)], ground),
      `${REMOVED} ${folder} can be deleted.`,
    )
  }
  const [own, script] = ground.program
  if (script !== undefined)
    return { code: 1, text: 'Only the executable of Windows installs itself as a service.\n' }
  const state = join(ground.programData, 'platen')
  const exe = join(folder, 'platen.exe')
  const query = sc('query', SERVICE_NAME)
  let isThere = false
  try {
    mkdirSync(folder, { recursive: true })
    mkdirSync(state, { recursive: true })
    if (own !== exe) copyFileSync(own, `${exe}.new`)
    isThere = runAll([query], ground).code === 0
    // Windows lets nobody write over a program that runs.
    if (isThere && runAll([sc('stop', SERVICE_NAME)], ground).code === 0)
      waitUntil(() => !/:\s*[2-7]\s+[^\s(]/.test(runAll([query], ground).text), ground)
    if (own !== exe) renameSync(`${exe}.new`, exe)
  } catch (error) {
    if (isThere) runAll([sc('start', SERVICE_NAME)], ground)
    return { code: 1, text: `${String(error)}\nRun this as administrator.\n` }
  }
  const command = listArguments({ ...ground, program: [exe] }, 'service', 'run')
  const line = command.map((word) => `"${word}"`).join(' ')
  const grants = ['*S-1-5-18', '*S-1-5-32-544', '*S-1-5-19'].map((sid) => `${sid}:(OI)(CI)F`)
  const commands = [
    ['icacls.exe', state, '/inheritance:r', '/grant:r', ...grants], // SYSTEM, administrators, LocalService
    isThere
      ? sc('config', SERVICE_NAME, 'binPath=', line, 'start=', 'auto')
      : sc('create', SERVICE_NAME, 'binPath=', line, 'start=', 'auto', 'obj=', ACCOUNT),
    sc('description', SERVICE_NAME, 'platen label print server'),
    sc('failure', SERVICE_NAME, 'reset=', '86400', 'actions=', 'restart/2000/restart/60000'),
    sc('start', SERVICE_NAME),
  ]
  return tell(
    runAll(commands, ground),
    `The print server runs as a service; its files are in ${state}.`,
  )
}

const LOOK_MS = 500
const LOOKS = 60 // the label in hand has 10 s, a slow computer more

/** Returns a moment after a service has stopped: its program is free only then. */
function waitUntil(hasStopped: () => boolean, { lookMs = LOOK_MS }: ServiceGround): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let look = 0; look < LOOKS; look += 1) {
    const isStopped = hasStopped()
    Atomics.wait(pause, 0, 0, lookMs)
    if (isStopped) return
  }
}

const ACCOUNT = 'NT AUTHORITY\\LocalService'
const REMOVED = 'The print server no longer starts automatically. Settings and labels stay.'

function describe({ code }: ProgramExit, isInstalled: boolean): CommandEnd {
  if (!isInstalled) return NOT_INSTALLED
  if (code === 0) return { code: 0, text: 'The service is installed and runs.\n' }
  return { code: 3, text: 'The service is installed and does not run.\n' }
}

function describeWindows({ code, text }: ProgramExit): CommandEnd {
  if (code !== 0) return NOT_INSTALLED
  // SERVICE_RUNNING, whatever the language of Windows calls the line. Exit codes have a parenthesis behind them.
  return describe({ code: /:\s*4\s+[^\s(]/.test(text) ? 0 : 3, text }, true)
}

const NOT_INSTALLED: CommandEnd = { code: 4, text: 'The service is not installed.\n' }

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
