const MANY_SPELLINGS = /^(usb|serial):/i

/**
 * True when two device URIs lead to the same printer: the parameters of a line do not make another printer of it, and
 * two spellings of one USB printer (CUPS's and ours) have its serial number or its port in common.
 */
export function isSamePlace(one: string, other: string): boolean {
  if (one === other) return true
  if (one.startsWith('socket:')) return plainSocket(one) === plainSocket(other)
  // Of the others every letter counts, and strangers may bring thousands of them to compare.
  if (!MANY_SPELLINGS.test(one) || !MANY_SPELLINGS.test(other)) return false
  if (!URL.canParse(one) || !URL.canParse(other)) return false
  const [a, b] = [new URL(one), new URL(other)]
  if (a.protocol !== b.protocol) return false
  if (a.protocol === 'serial:') return a.pathname === b.pathname
  return a.protocol === 'usb:' && isSameUsb(a, b)
}

/** A device URI without its user and password, which are not kept in the spool and make no other printer of it. */
export function placeOf(uri: string): string {
  return uri.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1')
}

/** Without what a network printer's address may leave out: its raw port and a slash. */
function plainSocket(uri: string): string {
  return uri
    .toLowerCase()
    .replace(/\/$/, '')
    .replace(/:9100$/, '')
}

/** True when both lead to USB printers of one maker and model. */
export function isSameKind(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false
  const [a, b] = [new URL(one), new URL(other)]
  const isUsb = a.protocol === 'usb:' && b.protocol === 'usb:'
  return isUsb && modelOf(a) !== '' && modelOf(a) === modelOf(b)
}

function isSameUsb(a: URL, b: URL): boolean {
  const at = (key: string) => [a.searchParams.get(key), b.searchParams.get(key)] as const
  const [serialA, serialB] = at('serial')
  const [portA, portB] = at('port')
  if (!namesAgree(a, b)) return false
  const ports = portA === null || portB === null ? undefined : portA === portB
  if (serialA !== null && serialB !== null) return serialA === serialB && ports !== false
  return ports ?? (serialA ?? serialB ?? portA ?? portB) === null
}

/** `usb://Zebra%20Technologies/ZTC%20GC420d` of CUPS and `usb://Zebra/GC420d` mean one model. */
function namesAgree(a: URL, b: URL): boolean {
  const [x, y] = [modelOf(a), modelOf(b)]
  return x === y || (x !== '' && y !== '' && (x.includes(y) || y.includes(x)))
}

function modelOf({ pathname }: URL): string {
  return pathname
    .replace(/%[0-9a-f]{2}/gi, ' ')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
