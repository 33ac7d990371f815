import { PlatenError } from '../errors.ts'
import { quoteShort } from '../quote.ts'

/**
 * The Location for a redirect_url: an absolute http or https address without a user name or password. It is passed on
 * unchanged; only blanks and letters beyond ASCII are escaped, as a browser would, because a header cannot hold them.
 * @throws PlatenError REDIRECT_INVALID
 */
export function checkRedirect(url: string): string {
  const parsed = /^https?:\/\/[^/?#\\]/i.test(url) && !/\p{Cc}/u.test(url) ? URL.parse(url) : null
  if (parsed === null) {
    throw new PlatenError(
      'REDIRECT_INVALID',
      `redirect_url: got ${quoteShort(url)}, wanted an absolute http:// or https:// address.`,
    )
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new PlatenError(
      'REDIRECT_INVALID',
      `redirect_url: the address of ${parsed.host} holds a user name or password; wanted none.`,
    )
  }
  return /^[\x21-\x7e]+$/.test(url) ? url : parsed.href
}

/** The address for a link onward when a request is refused: only one that a redirect would have used. */
export function readSafeRedirect(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  try {
    return checkRedirect(url)
  } catch (error) {
    if (error instanceof PlatenError) return undefined
    throw error
  }
}
