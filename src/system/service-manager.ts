import { execFile } from 'node:child_process'
import { writeSync } from 'node:fs'

/** A socket that the service manager bound for us before we started. */
export interface PassedSocket {
  /** `FileDescriptorName=` of its unit, e.g. `http`. */
  readonly name: string
  readonly fd: number
}

/** Connection to systemd as this process got it; everything is empty or does nothing where there is no systemd. */
export interface ServiceManager {
  readonly sockets: readonly PassedSocket[]
  /** Milliseconds within which it must hear that we are alive; undefined = it does not watch. */
  readonly watchdogMs: number | undefined
  /** Tells it our state, e.g. `READY=1` (sd_notify(3)). Never throws: a label must not wait for it. */
  notify(message: string): void
}

/** The variables that systemd sets for a service (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)). */
export interface ServiceEnv extends NodeJS.Dict<string> {
  LISTEN_PID?: string
  LISTEN_FDS?: string
  LISTEN_FDNAMES?: string
  NOTIFY_SOCKET?: string
  WATCHDOG_PID?: string
  WATCHDOG_USEC?: string
}

const FIRST_FD = 3 // sd_listen_fds(3)
const NOTIFY_NAME = 'notify' // the OpenFile= of our unit: its descriptor comes after the sockets

/**
 * Reads what systemd says in the environment, and takes it out, so that no child of ours believes that it is meant.
 * Our unit lets systemd open its notification socket for us (OpenFile=, systemd 253 and newer), since Node has no datagram
 * sockets of that kind; an older systemd is told by its own command, `systemd-notify`.
 */
export function readServiceManager(
  env: ServiceEnv,
  pid: number,
  fault: (error: unknown) => void,
): ServiceManager {
  const isOurs = env.LISTEN_PID === String(pid)
  const count = isOurs ? Number(env.LISTEN_FDS ?? 0) : 0
  const names = env.LISTEN_FDNAMES?.split(':') ?? []
  const passed = Array.from({ length: count }, (_, index) => ({
    name: names[index] ?? '',
    fd: FIRST_FD + index,
  }))
  const notifyFd = passed.find(({ name }) => name === NOTIFY_NAME)?.fd
  const hasNotifySocket = env.NOTIFY_SOCKET !== undefined
  const notifyEnv = { ...env }
  const isWatched = env.WATCHDOG_PID === undefined || env.WATCHDOG_PID === String(pid)
  const watchdogMs = isWatched ? Number(env.WATCHDOG_USEC ?? 0) / 1000 : 0
  for (const key of Object.keys(env)) {
    if (/^(?:LISTEN_(?:PID|FDS|FDNAMES)|WATCHDOG_(?:USEC|PID)|NOTIFY_SOCKET)$/.test(key))
      delete env[key]
  }
  return {
    sockets: passed.filter(({ name }) => name !== NOTIFY_NAME),
    watchdogMs: watchdogMs > 0 ? watchdogMs : undefined,
    notify(message) {
      if (notifyFd !== undefined) writeTo(notifyFd, message, fault)
      else if (hasNotifySocket) spawnNotify(message, notifyEnv, fault)
    },
  }
}

function writeTo(fd: number, message: string, fault: (error: unknown) => void): void {
  try {
    writeSync(fd, message)
  } catch (error) {
    fault(error)
  }
}

/** Needs `NotifyAccess=all` in the unit: the message comes from a child. */
function spawnNotify(message: string, env: ServiceEnv, fault: (error: unknown) => void): void {
  execFile('systemd-notify', message.split('\n'), { env, timeout: 10_000 }, (error) => {
    if (error !== null) fault(error)
  })
}

/** Tells the service manager that we are ready, and from then on that we live. */
export function reportTo(
  manager: ServiceManager,
  health: { isAlive: () => boolean; fault: (error: unknown) => void; port: string },
  signal: AbortSignal,
): void {
  manager.notify(`READY=1\nSTATUS=Listens on port ${health.port}.`)
  const { watchdogMs } = manager
  if (watchdogMs === undefined) return
  const ping = () => manager.notify('WATCHDOG=1')
  startWatchdog({ ...health, limitMs: watchdogMs, ping }, signal)
}

/** Settings for feeding the watchdog. */
export interface WatchdogSettings {
  /** Milliseconds within which the service manager must hear of us. */
  readonly limitMs: number
  /** Throws or gives false when the program cannot do its work: then nothing is said, and we are started again. */
  readonly isAlive: () => boolean
  readonly ping: () => void
  /** Told why nothing was said. */
  readonly fault: (error: unknown) => void
}

/**
 * Says every third of the limit that the program lives, as long as it does: the timer itself shows that the event loop
 * turns, `isAlive` that the work does. Never keeps the process alive.
 */
export function startWatchdog(settings: WatchdogSettings, signal: AbortSignal): void {
  const { limitMs, isAlive, ping, fault } = settings
  const look = (): void => {
    try {
      if (isAlive()) ping()
      else fault(new Error('The watchdog is not fed: the program does not do its work.'))
    } catch (error) {
      fault(error)
    }
  }
  const timer = setInterval(look, limitMs / 3).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
