import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Our name in the list of services. */
export const SERVICE_NAME = 'platen'

// winsvc.h
const OWN_PROCESS = 0x10
const RUNNING = 4
const STOP_PENDING = 3
const STOPPED = 1
const ACCEPT_STOP_AND_SHUTDOWN = 0x1 | 0x4
const CONTROL_STOP = 1
const CONTROL_INTERROGATE = 4
const CONTROL_SHUTDOWN = 5
const NOT_IMPLEMENTED = 120 // ERROR_CALL_NOT_IMPLEMENTED
const STOP_HINT_MS = 20_000 // the label in hand, and the answers under way

/**
 * Tells the service manager of Windows that this process is the service it started, and hands its wish to stop on as SIGTERM:
 * without that Windows ends the process after 30 s (error 1053). Microsoft, "Service Functions". The dispatcher holds a
 * thread of its own until the service has stopped, and koffi brings the calls from there to this one.
 * Decision `service-before-core`.
 * @throws Error when no service manager started the process
 */
export async function obeyServiceManager(): Promise<void> {
  const { default: koffi } = await import('koffi')
  koffi.struct('SERVICE_STATUS', {
    type: 'uint32_t',
    state: 'uint32_t',
    accepted: 'uint32_t',
    exitCode: 'uint32_t',
    ownCode: 'uint32_t',
    checkPoint: 'uint32_t',
    waitHint: 'uint32_t',
  })
  koffi.struct('SERVICE_TABLE_ENTRYW', { name: 'str16', main: 'void *' })
  const main = koffi.proto('void ServiceMain(uint32_t count, void *args)')
  const handler = koffi.proto(
    'uint32_t ServiceHandler(uint32_t control, uint32_t type, void *data, void *context)',
  )
  const library = koffi.load('advapi32.dll')
  const register = library.func(
    'void *RegisterServiceCtrlHandlerExW(str16 name, ServiceHandler *handler, void *context)',
  )
  const setStatus = library.func('int SetServiceStatus(void *handle, SERVICE_STATUS *status)')
  const dispatch = library.func('int StartServiceCtrlDispatcherW(SERVICE_TABLE_ENTRYW *table)')
  let handle: unknown
  const tell = (state: number): void => {
    const accepted = state === RUNNING ? ACCEPT_STOP_AND_SHUTDOWN : 0
    const waitHint = state === STOP_PENDING ? STOP_HINT_MS : 0
    setStatus(handle, {
      type: OWN_PROCESS,
      state,
      accepted,
      waitHint,
      exitCode: 0,
      ownCode: 0,
      checkPoint: 0,
    })
  }
  const obey = (control: number): number => {
    if (control === CONTROL_INTERROGATE) return 0
    if (control !== CONTROL_STOP && control !== CONTROL_SHUTDOWN) return NOT_IMPLEMENTED
    tell(STOP_PENDING)
    process.emit('SIGTERM', 'SIGTERM')
    return 0
  }
  const started = Promise.withResolvers<void>()
  const kept: unknown[] = [koffi.register(obey, koffi.pointer(handler))]
  const begin = (): void => {
    handle = register(SERVICE_NAME, kept[0], null)
    tell(RUNNING)
    process.once('exit', () => tell(STOPPED))
    started.resolve()
  }
  kept.push(koffi.register(begin, koffi.pointer(main)))
  const table = [
    { name: SERVICE_NAME, main: kept[1] },
    { name: null, main: null },
  ]
  dispatch.async(table, (error: Error | null, done: number) => {
    if (error !== null || done === 0)
      started.reject(error ?? new Error('no service manager of Windows started this process'))
  })
  await started.promise
}

/** Message for a person when the program does not start. */
interface FailedStart {
  readonly message: string
  readonly hint: string
  /** File with more; undefined = nowhere. */
  readonly logFile: string | undefined
}

/**
 * Writes a page that says why the program does not start: a window that closes with the program shows nothing. Gives its
 * address (file:).
 * @throws what the file system throws
 */
export function writeFailedStart({ message, hint, logFile }: FailedStart): string {
  const more = logFile === undefined ? '' : `<p><small>Log: ${escapeHtml(logFile)}</small></p>`
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>platen does not start</title>
<style>body{font:18px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>
<h1>The print server does not start</h1>
<p>${escapeHtml(message)}</p><p><strong>${escapeHtml(hint)}</strong></p>${more}</html>
`
  const file = join(mkdtempSync(join(tmpdir(), 'platen-')), 'platen.html')
  writeFileSync(file, page, { mode: 0o600 })
  // cmd, which opens it, ends a command at a bare &; the name of a user may have one.
  return pathToFileURL(file).href.replaceAll('&', '%26')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/**
 * True when Windows opened a console only for this program, as it does for a double-click: it closes with the program, and
 * nobody can read what stood in it. Microsoft, "GetConsoleProcessList": how many processes share the console.
 */
export async function ownsConsole(platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform !== 'win32' || !process.stdin.isTTY) return false
  try {
    const { default: koffi } = await import('koffi')
    const kernel = koffi.load('kernel32.dll')
    const count = kernel.func(
      'uint32_t GetConsoleProcessList(_Out_ uint32_t *list, uint32_t count)',
    )
    return count([0], 1) === 1
  } catch {
    return false // koffi is left out where npm had no build of it
  }
}
