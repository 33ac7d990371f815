/** True when the client is a browser that wants a page: text/html is asked for by name, and no less than JSON. */
export function wantsPage(accept: string | undefined): boolean {
  const html = qualityOf(accept, 'text/html')
  return html > 0 && html >= qualityOf(accept, 'application/json') && !isJsonFirst(accept)
}

/** The weight of a media range that is named, 0 when it is not (RFC 9110, 12.4.2). */
function qualityOf(accept: string | undefined, type: string): number {
  const range = ranges(accept).find((range) => range.type === type)
  return range?.quality ?? 0
}

/** JSON before HTML at the same weight: the client names what it likes best first. */
function isJsonFirst(accept: string | undefined): boolean {
  const all = ranges(accept)
  const json = all.find((range) => range.type === 'application/json')
  const html = all.find((range) => range.type === 'text/html')
  if (!json || !html || json.quality !== html.quality) return false
  return all.indexOf(json) < all.indexOf(html)
}

function ranges(accept = ''): readonly { readonly type: string; readonly quality: number }[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';')
    const weight = parameters.map((text) => /^\s*q\s*=\s*([01](?:\.\d*)?)\s*$/i.exec(text)?.[1])
    return { type: type.trim().toLowerCase(), quality: Number(weight.find(Boolean) ?? 1) }
  })
}
