/** The printer languages that this page draws, one line each; of a label in another one it shows the beginning and its facts. */
/** @import { Drawer } from './draw.js' */
import { epl } from './epl/index.js'
import { tspl } from './tspl/index.js'
import { zpl } from './zpl/index.js'

/** By their names. @type {ReadonlyMap<string, Drawer>} */
export const drawers = new Map(Object.entries({ zpl, epl, tspl }))
