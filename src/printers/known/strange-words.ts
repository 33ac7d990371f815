import type { Device, Found } from '../device.ts'

/** Characters of a printer's name or model that are shown; the longest real ones have some 60. */
const LONGEST_NAME = 90
const LONGEST_SENTENCE = 500
/** Of a device URI: maker, model and serial number of USB have 126 characters at most, of 9 as a URI writes them. */
export const LONGEST_URI = 4_096
/** Of a device id; real ones have some 100 to 400 characters. */
export const LONGEST_ID = 2_048
/** Printers that are believed of one device, or of the network: the largest packing halls have some 50. */
export const MOST_FINDS = 100

/**
 * A text of a printer, a spooler or the network as one short line: without control characters, without the signs that turn
 * the direction of writing, which could make a page say anything, and without halves of characters.
 */
export function tidyText(text: string, longest = LONGEST_NAME): string {
  const plain = text
    .slice(0, 4 * longest)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s\ufffd]+/gu, ' ')
    .trim()
  return [...plain].slice(0, longest).join('').trim()
}

/** What a device found, fit to be kept, shown and opened; what could not be opened is left out. */
export function tidyFinds(found: readonly Found[], device?: Device): readonly Found[] {
  const usable = found.filter(({ uri }) => isUsable(uri, device))
  return usable.slice(0, MOST_FINDS).map(tidyFound)
}

function isUsable(uri: string, device: Device | undefined): boolean {
  if (uri.length > LONGEST_URI || !URL.canParse(uri)) return false
  return device?.check(new URL(uri), uri) === undefined
}

function tidyFound(found: Found): Found {
  const { name, deviceId, serial, behind, hindrance, ...rest } = found
  const plainName = tidyText(name ?? '')
  return {
    ...rest,
    makeAndModel: tidyText(found.makeAndModel),
    ...(plainName === '' ? {} : { name: plainName }),
    // A field that is cut is no worse than one that the printer cut.
    ...(deviceId === undefined ? {} : { deviceId: deviceId.slice(0, LONGEST_ID).toWellFormed() }),
    ...(serial === undefined ? {} : { serial: tidyText(serial, 200) }),
    ...(behind === undefined || behind.length > LONGEST_URI ? {} : { behind }),
    ...(hindrance === undefined ? {} : { hindrance: tidyText(hindrance, LONGEST_SENTENCE) }),
  }
}
