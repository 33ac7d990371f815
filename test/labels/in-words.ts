import type { Remark } from '#labels'
import { callLabels, tellRemark } from '../../src/core/label-faults.ts'
import * as detect from '../../src/labels/detect/detect.ts'
import * as targets from '../../src/labels/target.ts'
import { inEnglish } from '../../src/words/say.ts'

// What the library says, in the words that people read.

export function detectFormat(label: Uint8Array): detect.LabelFormat {
  return callLabels(() => detect.detectFormat(label))
}

export function unpackLabel(label: Uint8Array): detect.UnpackedLabel {
  return callLabels(() => detect.unpackLabel(label))
}

export function listPages(wish: string | undefined, count: number): readonly number[] {
  return callLabels(() => targets.listPages(wish, count))
}

export function inWords(notes: readonly Remark[] = []): readonly string[] {
  return notes.map(tellRemark).map(inEnglish)
}
