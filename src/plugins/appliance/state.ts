import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** State of the box, for its LED and for STATUS.TXT. */
export interface BoxState {
  readonly version: string
  /** The name on the network, e.g. `printserver-1a2b.local`. */
  readonly name: string
  /** '' = no network. */
  readonly url: string
  /** The address by the name that is easier to remember; '' = another box has it. */
  readonly alias: string
  readonly printers: readonly BoxPrinter[]
}

/** A printer in words. */
interface BoxPrinter {
  readonly name: string
  readonly isOffline: boolean
  readonly isStopped: boolean
  readonly message: string
  readonly hint: string
}

const EVERY_MS = 5_000

/** Judges what the LED shows: all is well, no network, no printer, or a printer needs a person. */
export function judgeBox({
  url,
  printers,
}: BoxState): 'ready' | 'no-network' | 'no-printer' | 'attention' {
  if (url === '') return 'no-network'
  if (printers.every(({ isOffline }) => isOffline)) return 'no-printer'
  return printers.some(({ isStopped }) => isStopped) ? 'attention' : 'ready'
}

/** The state in plain words: the word for the LED in the first line, then what a person reads. */
export function describeBox(state: BoxState): string {
  const { url, alias, name, version, printers } = state
  const address =
    url === ''
      ? ['Network:  none. Plug in the cable, or put wifi.txt into this folder.']
      : [
          `Address:  ${url}`,
          ...(alias === '' ? [] : [`          ${alias}`]),
          `          http://${name}/`,
        ]
  const none = [
    'Printer:  none found. Plug it into a USB socket and switch it on; a network printer is added on the page.',
  ]
  return `${[
    judgeBox(state),
    `Label print server, version ${version}`,
    ...address,
    ...(printers.length === 0 ? none : printers.map(describePrinter)),
  ].join('\n')}\n`
}

function describePrinter({ name, message, hint }: BoxPrinter): string {
  const words = [message || 'ready.', hint].filter((text) => text !== '').join(' ')
  return `Printer:  ${name}: ${words}`
}

/**
 * Writes the state into a file whenever it changes, looking every few seconds; units of root show it. A state that cannot be
 * had or written is told once. Resolves when the signal aborts.
 */
export async function followBox(
  settings: {
    readonly folder: string
    readonly state: () => BoxState
    readonly fault: (error: unknown) => void
    readonly everyMs?: number
  },
  signal: AbortSignal,
): Promise<void> {
  const { folder, state, fault, everyMs = EVERY_MS } = settings
  let written = ''
  let isTold = false
  while (!signal.aborted) {
    try {
      const text = describeBox(state())
      if (text !== written) {
        // Whole or not at all: a unit reads it at any time.
        writeFileSync(join(folder, 'state.new'), text)
        renameSync(join(folder, 'state.new'), join(folder, 'state'))
        written = text
      }
      isTold = false
    } catch (error) {
      if (!isTold) fault(error)
      isTold = true
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
