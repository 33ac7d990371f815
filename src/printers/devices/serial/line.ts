/** An open serial line, the same for every platform. Whoever holds it is its only user. */
export interface Line {
  /** Bytes that may still wait in this computer once `write` has resolved. */
  readonly slackBytes: number
  /** Why it can be used no more: unplugged, failed or closed; undefined while it is sound. */
  readonly fault: unknown
  /** Resolves when the line ends, for whatever reason. */
  readonly ended: Promise<void>
  /**
   * Resolves once the line has taken the bytes and at most `slackBytes` of them have not left yet. A printer that stops the
   * line is waited for without limit. Rejects when the line ends; how much of `bytes` was taken is then unknown.
   */
  write(bytes: Uint8Array): Promise<void>
  /** What the printer has said since the last call. */
  take(): Uint8Array
  /** Ends it: `write` rejects with the reason. It is still to be closed. */
  end(reason: unknown): void
  /**
   * Ends it and closes: a sound line sends its last bytes, one that has ended drops them where the driver can. Never fails;
   * harmless when closed.
   */
  close(): Promise<void>
}

const INBOX_BYTES = 65_536 // what a printer may say before anybody asks; the rest is dropped

/** What came in and was not asked for yet, within bounds. */
export class Inbox {
  #parts: Uint8Array[] = []
  #length = 0

  add(bytes: Uint8Array): void {
    const kept = bytes.slice(0, INBOX_BYTES - this.#length)
    if (kept.length === 0) return
    this.#parts.push(kept)
    this.#length += kept.length
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    return bytes
  }
}

/** Closes a port of `@serialport/bindings-cpp`. Never fails: a port that is gone is closed too. */
export async function closePort(
  port: { flush(): Promise<void>; close(): Promise<void> },
  isSound: boolean,
): Promise<void> {
  if (!isSound) await port.flush().catch(() => undefined) // unplugged: nothing to throw away
  await port.close().catch(() => undefined)
}
