import type { LanguageName } from '../../src/labels/languages/index.ts'
import type { Printed } from './canvas.ts'
import { interpretEpl } from './epl.ts'
import { interpretTspl } from './tspl.ts'
import { interpretZpl } from './zpl-graphics.ts'

/** An independent printer of a language; its stock is in dots. */
export type Interpret = (
  job: Uint8Array,
  stock: { width: number; height: number; dpi: number },
) => readonly Printed[]

/** Each language needs a line here. */
export const interpreters: Readonly<Record<LanguageName, Interpret>> = {
  zpl: interpretZpl,
  epl: interpretEpl,
  tspl: (job, { dpi }) => interpretTspl(job, dpi),
}
