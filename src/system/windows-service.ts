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
 * @throws Error when no service manager started the process
 */
export async function obeyServiceManager(): Promise<void> {
  const { default: koffi } = await import('koffi')
  koffi.struct('SERVICE_STATUS', {
    ...{ type: 'uint32_t', state: 'uint32_t', accepted: 'uint32_t', exitCode: 'uint32_t' },
    ...{ ownCode: 'uint32_t', checkPoint: 'uint32_t', waitHint: 'uint32_t' },
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
      ...{ type: OWN_PROCESS, state, accepted, waitHint },
      ...{ exitCode: 0, ownCode: 0, checkPoint: 0 },
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
