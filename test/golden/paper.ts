import type { Raster } from '../../src/labels/languages/raster.ts'
import { interpret } from '../interpreters/paper.ts'
import { type Golden, hash } from './cases.ts'

/** Prints a label as a printer would. */
export function print({ name, bytes, target }: Golden): Raster {
  const [label] = interpret(bytes, target)
  if (label === undefined) throw new Error(`${name}: no label came out`)
  return label.raster
}

/** Digests of the job and of the dots on paper. */
export function digest(golden: Golden): { job: string; dots: string } {
  const { width, height, bits } = print(golden)
  return { job: hash(golden.bytes), dots: `${width}x${height} ${hash(bits)}` }
}
