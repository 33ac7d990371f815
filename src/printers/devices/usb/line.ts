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
