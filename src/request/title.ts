/** Characters of a title at most; what a client calls its labels is longer than a line of the page by mistake only. */
export const TITLE_MOST = 255

// A mark that turns the direction of writing would turn what stands beside the title, too.
const STRANGE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu

/** One line: no control characters, no blanks at its ends or in a row, cut to `TITLE_MOST` characters; '' = none. */
export function tidyTitle(text: string): string {
  const line = text.toWellFormed().replace(STRANGE, ' ').replace(/\s+/g, ' ').trim()
  const isShort = line.length <= TITLE_MOST
  return isShort ? line : [...line].slice(0, TITLE_MOST).join('').trimEnd()
}

const ENDING =
  /\.(zpl|zpl2|epl|epl2|tspl|tsc|prn|lbl|txt|bin|raw|png|jpe?g|gif|tiff?|pdf|pwg|urf|gz)$/i
/** What programs and browsers call a file that nobody has named; and names made of chance alone. */
const NAMELESS = [
  /^(the |my |new |shipping[ _-]?|ship[ _-]?|return[ _-]?|print[ _-]?)*(labels?|blob|files?|images?|pictures?|photo|scan|documents?|doc|downloads?|upload|untitled|unnamed|noname|print|ship|job|test|temp|tmp|out|output|stdin|data|body|base64|zpl|epl|tspl|raw|pdf|png)[ _-]*(\(?\d{0,3}\)?)?$/i,
  /^\(stdin\)$|^-$/,
  /^(tmp|temp|php|upload)[._-]?[a-z0-9_]{4,}$/i,
  /^[{(]?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}[)}]?$/i,
  /^(?=.*[a-f])(?=.*\d)[0-9a-f]{16,}$/i,
]

/** What a file is called, without its folder and its ending; '' when its name says nothing of what it is. */
export function titleOfFile(fileName: string): string {
  const name = fileName.slice(0, 4 * TITLE_MOST).replace(/^.*[\\/]/s, '')
  const bare = tidyTitle(name.replace(ENDING, '').replace(ENDING, ''))
  return NAMELESS.some((pattern) => pattern.test(bare)) ? '' : bare
}
