import {
  checkPicture,
  isPicture,
  languages,
  listWords,
  png,
  type Raster,
  rowBytes,
  unpackLabel,
} from '#labels'
import type { Renderer } from '../../core/drawing/renderer.ts'
import { callLabels } from '../../core/label-faults.ts'
import { PlatenError, refuseField } from '../../words/errors.ts'

/** A picture between commands, and how its page wants it. */
export interface InlinePicture {
  readonly bytes: Uint8Array
  /** The language as the page calls it, in capitals. */
  readonly language: string
  readonly x: number
  readonly y: number
}

/** The resolution used for drawing: each pixel is one dot, so any value will do. */
const DPI = 203
/** The most pictures in one call; each takes a moment of the thread that draws. */
export const PICTURES_MOST = 20

/**
 * Makes the command that draws a picture in place, as QZ Tray writes it (`ImageWrapper.getImageCommand`): for ZPL only the field's data, as
 * `^FO` and `^FS` around it are the page's.
 * @throws PlatenError FIELD_INVALID, LABEL_*, PICTURE_*
 */
export async function drawInline(
  { bytes, language, x, y }: InlinePicture,
  renderer: Pick<Renderer, 'render'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { name, drawInline: write } = findInline(language)
  const { label, format } = callLabels(() => unpackLabel(bytes))
  if (!isPicture(format))
    throw refuseField('data', format.toUpperCase(), 'a picture between commands')
  const { width, height, orientation } = callLabels(() => checkPicture(label, format))
  const isTurned = orientation > 4
  const [across, down] = isTurned ? [height, width] : [width, height]
  const target = {
    language: name,
    dpi: DPI,
    labelWidth: across / DPI,
    labelHeight: down / DPI,
    pictureDpi: DPI,
    startingPointX: 0,
    startingPointY: 0,
    darkness: undefined,
    speed: undefined,
    rotate: 0,
    scaling: undefined,
    z64: false,
  } as const
  const own = new Uint8Array(label)
  const { preview } = await renderer.render({ format, label: own, target }, signal)
  if (preview === undefined) throw new PlatenError('INTERNAL', 'A picture was drawn without dots.')
  return write(await readDots(preview), x, y)
}

/** Reads the dots back from the drawn PNG. */
async function readDots(preview: Uint8Array): Promise<Raster> {
  const { width, height } = png.header(preview)
  const stride = rowBytes(width)
  const bits = new Uint8Array(stride * height)
  await png.decodeBits(preview, (row, y) => bits.set(row, y * stride))
  return { width, height, bits }
}

const INLINE_TITLES = languages
  .filter((language) => language.drawInline !== undefined)
  .map(({ title }) => title)

/** Finds the inline drawing of a language. QZ Tray's word for a language is one that its printers use in their device ids. */
function findInline(word: string) {
  const language = languages.find(({ commandSets }) => commandSets.includes(word))
  if (language?.drawInline !== undefined)
    return { name: language.name, drawInline: language.drawInline }
  throw refuseField('options.language', word, listWords(INLINE_TITLES, 'or'))
}
