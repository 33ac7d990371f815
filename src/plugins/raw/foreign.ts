/**
 * The first bytes of connections of other protocols, byte by byte: a value, a range, or `..` for any. Programs that look for open ports
 * send these, and so does any web page (WebRTC, wss). They were never meant as a label, so they are not kept as evidence either. Beginnings
 * that some label may also have (PJL, PostScript, a line of text) are not listed.
 */
const SIGNS: readonly (readonly [protocol: string, sign: string])[] = [
  ['TLS', '16 03'],
  ['TLS', '80-ff .. 01 00-03 00-04'], // the hello of SSL 2 (RFC 5246, E.2)
  ['DTLS', '16 fe fd-ff'],
  // RFC 8489, 5: zero bits, method, length, magic cookie; in a frame of RFC 4571 where ICE uses TCP (RFC 6544).
  ['STUN', '00-3f .. 00-0f .. 21 12 a4 42'],
  ['STUN', '00-0f .. 00-3f .. 00-0f .. 21 12 a4 42'],
  ['SSH', '53 53 48 2d 31-32 2e'],
  ['SMB', '00 .. .. .. fc-ff 53 4d 42'],
  ['NetBIOS', '81 00 00 44 20'],
  ['RDP', '03 00 .. .. .. e0'], // TPKT and a connection request of X.224
  // One question and no answers (RFC 1035, 4.1.1), behind its length (4.2.2).
  ['DNS', '00-03 .. .. .. 00-01 00-30 00 01 00 00 00 00 00 00-01'],
  ['PostgreSQL', '00 00 .. .. 00 03 00 00-02'],
  ['PostgreSQL', '00 00 00 .. 04 d2 16 2e-30'],
  ['SQL Server', '12 00-01 .. .. 00 00 .. 00'],
  ['Oracle', '.. .. 00 00 01 00 .. .. 01'],
  ['MongoDB', '.. .. .. 00 .. .. .. .. .. .. .. .. d4 07 00 00'],
  ['MongoDB', '.. .. .. 00 .. .. .. .. .. .. .. .. dd 07 00 00'],
  ['Redis', '2a 31-39 0d 0a 24 31-39'],
  ['MQTT', '10 .. 00 04 4d 51 54 54'],
  ['MQTT', '10 .. 00 06 4d 51 49 73'],
  ['AMQP', '41 4d 51 50 00-03'],
  ['LDAP', '30 .. 02 01 .. 60-63'],
  ['LDAP', '30 84 .. .. .. .. 02 01 .. 60-63'],
  ['Kerberos', '00 00 .. .. 6a-6c 81-82'],
  ['RPC', '80 00 00 .. .. .. .. .. 00 00 00 00 00 00 00 02'],
  ['RPC', '05 00 0b 03'],
  ['SOCKS', '04 01 .. .. .. .. .. ..'],
  ['SOCKS', '05 01 00-02'],
  ['SOCKS', '05 02 00-02 00-02'],
  ['VNC', '52 46 42 20 30 30 33 2e'],
  ['X11', '6c 00 0b 00 00 00'],
  ['X11', '42 00 00 0b 00 00'],
  ['Telnet', 'ff fb-fd 00-31'], // no BOM of UTF-16 and no JPEG
  ['BitTorrent', '13 42 69 74 54 6f 72 72 65 6e 74'],
  ['Java RMI', '4a 52 4d 49 00'],
  ['SMTP', '45 48 4c 4f 20'],
  ['SMTP', '48 45 4c 4f 20'],
]

/** Protocols that a web page can send with words of its own behind the head: nothing after it is a label. */
const EARLY: ReadonlySet<string> = new Set(['TLS', 'DTLS', 'STUN'])

/** Bytes that are enough to tell. */
export const FOREIGN_HEAD = 16

interface ProtocolSign {
  readonly protocol: string
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

const PARSED: readonly ProtocolSign[] = SIGNS.map(([protocol, sign]) => ({
  protocol,
  ranges: sign.split(' ').map((text) => {
    if (text === '..') return [0, 0xff] as const
    const [from = '', to = from] = text.split('-')
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const
  }),
}))

/** Finds the protocol that a connection with these first bytes speaks; undefined when none is known. */
export function findForeign(head: Uint8Array): string | undefined {
  return PARSED.find((sign) => fits(sign, head) && head.length >= sign.ranges.length)?.protocol
}

/** Does the same for the few protocols that any web page can send, while the connection goes on. `'unsure'`: the next bytes tell. */
export function findEarly(head: Uint8Array): { readonly protocol: string } | 'unsure' | undefined {
  const open = PARSED.filter((sign) => EARLY.has(sign.protocol) && fits(sign, head))
  const found = open.find(({ ranges }) => head.length >= ranges.length)
  if (found !== undefined) return { protocol: found.protocol }
  return open.length > 0 ? 'unsure' : undefined
}

/** Tells whether the bytes match the sign, as far as both reach. */
function fits({ ranges }: ProtocolSign, head: Uint8Array): boolean {
  return ranges.every(([from, to], at) => {
    const byte = head[at]
    return byte === undefined || (byte >= from && byte <= to)
  })
}
