import type { Printers } from '../../core/printers/registry.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import type { Crossing } from '../../core/spool/health.ts'
import type { SpoolStatus } from '../../core/spool/outbox.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { BACK_OFF, type ResultFigures, ResultSender, type SenderParts } from './result-sender.ts'

/** The parts for reporting results; the spool must have been opened with `keepsResults`. */
export interface ResultParts extends Omit<SenderParts, 'outbox'> {
  readonly spool: Pick<Spool, 'onChange' | 'filling' | 'outbox'>
  readonly printers: Pick<Printers, 'list' | 'get' | 'onChange'>
  /** Called with faults that disturb nothing else. */
  readonly fault: (error: unknown) => void
}

/** The running reports. */
export interface Results {
  figures(): ResultFigures
  /** Ends the request under way; waiting events are sent after the next start. */
  stop(): Promise<void>
}

/**
 * Reports jobs and printers to the result address: first all printers as they are now, then each change. Events of jobs are in the outbox
 * already, written in the transaction that made them true.
 */
export function startResults({ spool, printers, fault, ...parts }: ResultParts): Results {
  const stopping = new AbortController()
  const sender = new ResultSender({ ...parts, outbox: spool.outbox })
  const told = new Map<string, string>()
  /** Events that found no room on the disk, by subject: the newest of each is tried again. */
  const untold = new Map<string, () => void>()
  let again: NodeJS.Timeout | undefined
  const tryToTell = (subject: string, write: () => void): void => {
    try {
      write()
      untold.delete(subject)
      sender.wake()
    } catch (error) {
      if (untold.size === 0) fault(error) // the disk is full or broken; the printer must not suffer
      untold.set(subject, write)
      again ??= setTimeout(tryAgain, (parts.backOff ?? BACK_OFF).firstMs).unref()
    }
  }
  const tryAgain = (): void => {
    again = undefined
    // A copy: what cannot be told again is put back.
    for (const [subject, write] of Array.from(untold)) tryToTell(subject, write)
  }
  const tell = (printer: KnownPrinter): void => {
    const { name, status } = printer
    const text = JSON.stringify(status)
    const subject = `printer ${name}`
    if (told.get(name) === text) {
      untold.delete(subject)
      return
    }
    const at = (parts.now ?? Date.now)()
    tryToTell(subject, () => {
      spool.outbox.tell({ type: 'printer', at, printer: { name, status } })
      if (printers.get(name) === undefined) told.delete(name)
      else told.set(name, text)
    })
  }
  const tellFilling = ({ isHigh, filling }: Crossing): void => {
    const { of, name, message, hint } = filling
    const status: SpoolStatus = {
      state: isHigh ? 'filling' : 'well',
      reasons: [isHigh ? 'spool-area-full' : 'none'],
      message,
      hint,
    }
    const at = (parts.now ?? Date.now)()
    const printer = { name: of === 'printer' ? name : '', status }
    tryToTell(`spool ${of} ${name}`, () => spool.outbox.tell({ type: 'spool', at, printer }))
  }
  for (const printer of printers.list()) tell(printer)
  for (const filling of spool.filling.list()) tellFilling({ isHigh: true, filling })
  const ends = [
    spool.filling.onCrossing(tellFilling),
    printers.onChange(tell),
    spool.onChange(() => {
      if (spool.outbox.takeNews()) sender.wake()
    }),
  ]
  spool.outbox.whenTold(() => sender.wake())
  const running = sender.run(stopping.signal)
  return {
    figures: () => sender.figures(),
    stop: async () => {
      for (const end of ends) end()
      clearTimeout(again)
      stopping.abort()
      await running
    },
  }
}
