import type { Buffer } from 'node:buffer'
import { latin1 } from './bytes.ts'

const ESC = 0x1b
const BLANK_LAST = 0x20
const WRAPPER_BYTES = 1024
/** Seagull's drivers for every make set a page's facts between these, which their printers pass over. */
const WRAPPER = /^<xpml>[^<>]*(?:<[^<>]*>[^<>]*)*?<\/xpml>/i
/** Frames that Zebra's driver sends before a label: `ESC ##`, a length, bytes of any kind. */
const FRAME = '\x1b##'
const FRAME_BYTES = 4096
const FORMAT = /\^XA/i

/**
 * Where a raw label itself begins: behind byte order marks, blanks, control characters (ZPL's own frame begins with STX,
 * ZebraDesigner with 0x10), `<xpml>` wrappers and driver frames. For looking only: labels print byte for byte.
 */
export function skipWrapping(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length) {
    const next = endOfWrapping(bytes, at)
    if (next === at) break
    at = next
  }
  return at
}

function endOfWrapping(bytes: Buffer, at: number): number {
  if (isMark(bytes, at)) return at + 3
  const byte = bytes[at] as number
  if (byte <= BLANK_LAST && byte !== ESC) return at + 1
  if (byte === 0x3c) {
    return at + (WRAPPER.exec(latin1(bytes, at, WRAPPER_BYTES))?.[0].length ?? 0)
  }
  if (byte !== ESC) return at
  const frame = latin1(bytes, at, FRAME_BYTES)
  return frame.startsWith(FRAME) ? at + Math.max(0, frame.search(FORMAT)) : at
}

/** A byte order mark of UTF-8. */
function isMark(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf
}
