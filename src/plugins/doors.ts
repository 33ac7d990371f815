import { browserPrint } from './browser-print/index.ts'
import type { Door } from './door/door.ts'
import { printNode } from './printnode/index.ts'
import { qz } from './qz/index.ts'
import { raw } from './raw/index.ts'
import { sources } from './sources.ts'

/** Every door but that of print dialogs (`ipp/`), which is part of the HTTP port. */
export const doors: readonly Door[] = [raw, qz, browserPrint, printNode]

/** Names the way that a label came in sentences, by the `source` of its job; an unknown source keeps its own name. */
export function nameWay(source: string): string {
  if (source === 'heartbeat') return 'the heartbeat'
  if (source === 'ipp') return 'a print dialog'
  const door = doors.find(({ name }) => name === source)
  return door?.way ?? door?.title ?? sources.find(({ type }) => type === source)?.title ?? source
}
