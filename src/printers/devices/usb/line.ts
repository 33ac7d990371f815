/** A way to one USB printer that is held open from job to job. One job at a time uses it. */
export interface Line {
  /** Bytes to hand over at a time. */
  readonly chunkBytes: number
  /**
   * Bytes of a job's first part, of which either all are taken or none (one packet), so that a refusal of it leaves the
   * label whole. Undefined: no part is like that.
   */
  readonly firstBytes: number | undefined
  /** Of the bytes that were counted as taken, as many may still be on their way. */
  readonly doubtBytes: number
  /** It is ours alone: when the kernel's driver has the printer, it was lost. */
  readonly isClaim: boolean
  /** It must be opened anew. */
  readonly isBroken: boolean
  /** Waits as long as the printer takes no data; gives the number taken. Rejects with an error that `readUsbFault` reads. */
  write(bytes: Uint8Array): Promise<number>
  /** What the printer says within `ms`, at most one packet; empty when it says nothing. Rejects like `write`. */
  read(ms: number): Promise<Uint8Array>
  /** The raw answer to GET_DEVICE_ID; undefined when there is none. */
  readDeviceId(): Promise<Uint8Array | undefined>
  /** The port status byte of the USB printer class; works while `write` waits. Undefined when there is none. */
  readPortStatus(): Promise<number | undefined>
  /** Makes a halted printer listen again. */
  clearHalt(): Promise<void>
  /** Marks the end of a job, so that the printer does not wait for the rest of a packet. */
  endJob(): Promise<void>
  /** Tells the printer to drop what it has taken and not printed. */
  dropJob(): Promise<void>
  /** Cuts what is under way, and gives the printer up. Safe at any time, more than once. */
  abandon(): Promise<void>
  /** Gives the printer back for good: the program ends. */
  giveBack(): Promise<void>
}

/** What an error of the USB package, or of the kernel's printer driver, means to us. */
type UsbFault =
  /** Its time was over: how many bytes went is unknown. */
  | 'timeout'
  /** Unplugged or switched off, or reset by us. */
  | 'gone'
  /** Something broke on the wire, perhaps because it was unplugged. */
  | 'broken'
  /** The printer refused: the pipe is halted until it is cleared. */
  | 'stall'
  /** A driver or another program has the interface. */
  | 'busy'
  /** No right to open it. */
  | 'denied'
  | 'unknown'

/** Bulk errors bear the Debug names of Rust, control errors sentences; the code is `GenericFailure` for nearly all. */
const TABLE: readonly (readonly [RegExp, UsbFault])[] = [
  [/: Cancelled$/, 'timeout'],
  [/: Stall$|endpoint stalled/, 'stall'],
  [/: Disconnected$|device disconnected|device not found|\berrno 19\b|ENODEV|ENOENT/, 'gone'],
  [/permission denied|\berrno 13\b|EACCES|EPERM/, 'denied'],
  [/: Unknown\(16\)|\berrno 16\b|interface is busy|EBUSY/, 'busy'],
  [/: Fault$|EIO|EPROTO/, 'broken'],
]

/** Reads the text of an error, which is all that the package tells. */
export function readUsbFault(error: unknown): UsbFault {
  const text = error instanceof Error ? error.message : String(error)
  return TABLE.find(([words]) => words.test(text))?.[1] ?? 'unknown'
}

/** True when `work` settled, false when the signal aborted first. Never rejects; the rejection is for whoever awaits `work`. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  const { promise, resolve } = Promise.withResolvers<false>()
  const stop = () => resolve(false)
  signal.addEventListener('abort', stop, { once: true })
  const settled = work.then(
    () => true,
    () => true,
  )
  const isSettled = await Promise.race([settled, promise])
  signal.removeEventListener('abort', stop)
  return isSettled
}
