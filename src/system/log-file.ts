import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const MOST_BYTES = 5_000_000 // some 25,000 lines
const KEPT = 3 // older files: FILE.1 is the newest of them

/** A log file where no journal keeps the lines: it is renamed when it is full, and the oldest goes. */
export class LogFile {
  readonly file: string
  readonly #mostBytes: number
  #bytes: number

  /** `file` is absolute; its folder is made. */
  constructor(file: string, mostBytes = MOST_BYTES) {
    this.file = file
    this.#mostBytes = mostBytes
    this.#bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Appends a line. A disk that takes none must not end a print server, so the line is lost then. */
  write(line: string): void {
    try {
      if (this.#bytes >= this.#mostBytes) this.#rotate()
      this.#bytes += Buffer.byteLength(line)
      this.#append(line)
    } catch {
      // Nobody could be told: this is where it would be told.
    }
  }

  #append(line: string): void {
    try {
      appendFileSync(this.file, line, { mode: 0o600 })
    } catch {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
      appendFileSync(this.file, line, { mode: 0o600 })
    }
  }

  #rotate(): void {
    for (let age = KEPT; age > 0; age -= 1) {
      const from = age === 1 ? this.file : `${this.file}.${age - 1}`
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${this.file}.${age}`)
    }
    this.#bytes = 0
  }
}
