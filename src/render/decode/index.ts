import { gif } from './gif.ts'
import { jpeg } from './jpeg.ts'
import { png } from './png.ts'

/** Every picture format that can be printed. Only the render thread imports it. */
export const decoders = [png, jpeg, gif] as const
