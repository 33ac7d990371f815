import { createHash } from 'node:crypto'
import type { LanguageName } from '../../src/labels/languages/index.ts'
import type { Raster } from '../../src/labels/languages/raster.ts'
import { fromRaster, toRaster } from '../label-makers/gray.ts'
import type { Printed } from './canvas.ts'
import { interpreters } from './languages.ts'
import { readSymbols } from './symbols.ts'
import { renderZpl } from './zpl.ts'

/** A printer with its stock; inches. */
export interface Loaded {
  readonly language: LanguageName
  readonly dpi: number
  readonly labelWidth: number
  readonly labelHeight: number
}

/** The labels that a picture job of ours puts on paper, by our own pretended printers. */
export function interpret(job: Uint8Array, printer: Loaded): readonly Printed[] {
  return interpreters[printer.language](job, { ...dotsOf(printer), dpi: printer.dpi })
}

/**
 * Prints picture jobs and scans what came out. ZPL is drawn by two readers, which must agree. What was seen before is
 * remembered, since the renderer and the scanner take most of the time of a test.
 */
export class Bench {
  readonly #drawn = new Map<string, Raster>()
  readonly #read = new Map<string, Record<string, string>>()

  /** The one label of a job. */
  async print(job: Uint8Array, printer: Loaded): Promise<Raster> {
    const [label, ...more] = interpret(job, printer)
    if (label === undefined || more.length > 0) throw new Error('other than one label came out')
    if (printer.language === 'zpl') {
      const drawn = await this.#draw(job, printer)
      if (!isSame(drawn, label.raster)) throw new Error('the two ZPL readers drew different dots')
    }
    return label.raster
  }

  /** Reads the symbols on paper, as a scanner does. */
  async scan(raster: Raster): Promise<Record<string, string>> {
    const key = hash(raster.bits)
    const known = this.#read.get(key) ?? (await readSymbols(raster))
    this.#read.set(key, known)
    return known
  }

  async #draw(job: Uint8Array, printer: Loaded): Promise<Raster> {
    const key = `${printer.labelWidth}x${printer.labelHeight} ${hash(job)}`
    const stock = { ...dotsOf(printer), dpi: printer.dpi }
    const known = this.#drawn.get(key) ?? (await renderZpl(job, stock))
    this.#drawn.set(key, known)
    return known
  }
}

/** True when two rasters have the same dots. */
export function isSame(a: Raster, b: Raster): boolean {
  return a.width === b.width && a.height === b.height && Buffer.compare(a.bits, b.bits) === 0
}

/** Dots that differ between two rasters of one size. */
export function countDifferent(a: Raster, b: Raster): number {
  let count = 0
  for (const [index, byte] of a.bits.entries()) {
    for (let rest = byte ^ (b.bits[index] ?? 0); rest !== 0; rest &= rest - 1) count++
  }
  return count
}

/** The black of a raster without the white around it. */
export function inkOf(raster: Raster): Raster {
  const { width, height, luma } = fromRaster(raster)
  const rows = Array.from({ length: height }, (_, y) => luma.subarray(y * width, (y + 1) * width))
  const inked = rows.filter((row) => row.includes(0))
  const left = Math.min(...inked.map((row) => row.indexOf(0)))
  const right = Math.max(...inked.map((row) => row.lastIndexOf(0))) + 1
  const top = rows.findIndex((row) => row.includes(0))
  const bottom = rows.findLastIndex((row) => row.includes(0)) + 1
  const cut = rows.slice(top, bottom).map((row) => row.subarray(left, right))
  return toRaster({ width: right - left, height: bottom - top, luma: Buffer.concat(cut) })
}

function dotsOf({ dpi, labelWidth, labelHeight }: Loaded): { width: number; height: number } {
  return { width: Math.round(labelWidth * dpi), height: Math.round(labelHeight * dpi) }
}

function hash(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
