import { browserPrint } from './browser-print/index.ts'
import type { Door } from './door/door.ts'
import { printNode } from './printnode/index.ts'
import { qz } from './qz/index.ts'
import { raw } from './raw/index.ts'

/** Every door but that of print dialogs, which is a plugin of its own (`ipp/`). */
export const doors: readonly Door[] = [raw, qz, browserPrint, printNode]
