import { findLanguage } from '../index.ts'
import type { PrintedText } from '../texts.ts'

/** Limit of bytes that are examined: real ones have some 100 texts in some KB, and pictures behind them. */
const BYTES_MOST = 256 * 1024
const TEXTS_MOST = 400

/** The texts and bar codes of a raw label in the order of its commands; empty for pictures. */
export function readTexts(label: Uint8Array, format: string): readonly PrintedText[] {
  const some: PrintedText[] = []
  for (const text of findLanguage(format)?.readTexts?.(label.subarray(0, BYTES_MOST)) ?? []) {
    if (text.text.trim() === '') continue
    some.push(text)
    if (some.length === TEXTS_MOST) break
  }
  return some
}
