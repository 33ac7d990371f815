/** What an error of the USB package, or of the kernel's printer driver, means to us. */
export type UsbFault =
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
