import { pbkdf2Sync } from 'node:crypto'
import { type Parsed, readKeys, readPlainText } from './plain-text.ts'

/** A Wi-Fi network to join. */
export interface Wifi {
  readonly ssid: string
  /** undefined = an open network. */
  readonly password: string | undefined
  /** Two letters; '' = the world's common channels only. */
  readonly country: string
  readonly isHidden: boolean
}

const KEYS = ['ssid', 'password', 'country', 'hidden', 'security']
const YES = ['yes', 'true', '1', 'on']

/** Reads wifi.txt. An open network says `security = open`, so that a forgotten password is noticed. */
export function parseWifi(text: string): Parsed<Wifi> {
  const keys = readKeys(text, KEYS)
  if ('fault' in keys) return keys
  const of = (key: string) => keys.value.get(key) ?? ''
  const wifi = {
    ssid: of('ssid'),
    password: of('security').toLowerCase() === 'open' ? undefined : of('password'),
    country: of('country').toUpperCase(),
    isHidden: YES.includes(of('hidden').toLowerCase()),
  }
  const fault = findFault(wifi)
  return fault === undefined ? { value: wifi } : { fault }
}

function findFault({ ssid, password, country }: Wifi): string | undefined {
  const length = Buffer.byteLength(ssid)
  if (length === 0) return 'ssid is missing: the name of the network.'
  if (length > 32) return `ssid has ${length} bytes, wanted at most 32.`
  if (country !== '' && !/^[A-Z]{2}$/.test(country)) {
    return `country is "${country}", wanted two letters, for example DE or US.`
  }
  if (password === undefined || /^[0-9A-Fa-f]{64}$/.test(password)) return undefined
  if (password === '') return 'password is missing; a network without one needs: security = open.'
  if (!/^[ -~]{8,63}$/.test(password)) {
    return `password has ${[...password].length} characters, wanted 8 to 63 letters, digits and signs of a US keyboard.`
  }
  return undefined
}

/**
 * The network as wpa_supplicant.conf(5). The name is written in hex, so that no quotes in it can end it; the password as the
 * key that is made of it (IEEE 802.11, J.4.1), so that the password itself lies nowhere.
 */
export function writeWifi({ ssid, password, country, isHidden }: Wifi): string {
  const isKey = password !== undefined && /^[0-9A-Fa-f]{64}$/.test(password)
  const key = isKey ? password : pbkdf2Sync(password ?? '', ssid, 4096, 32, 'sha1').toString('hex')
  return [
    'ctrl_interface=/run/wpa_supplicant',
    'update_config=0',
    ...(country === '' ? [] : [`country=${country}`]),
    'network={',
    `\tssid=${Buffer.from(ssid).toString('hex')}`,
    ...(isHidden ? ['\tscan_ssid=1'] : []),
    ...(password === undefined
      ? ['\tkey_mgmt=NONE']
      : ['\tkey_mgmt=WPA-PSK WPA-PSK-SHA256', '\tieee80211w=1', `\tpsk=${key}`]),
    '}',
    '',
  ].join('\n')
}

/** The bytes of wifi.txt with the password blotted out, as long as before: it is written over the old one, in its place. */
export function blankPassword(bytes: Uint8Array): Uint8Array {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const encoding = isWide ? 'utf16le' : 'latin1' // latin1 keeps every byte of UTF-8 as it is
  const text = Buffer.from(bytes).toString(encoding)
  // The key as readKeys reads it: behind a byte order mark, and between blanks of any kind.
  const isPassword = (before: string) =>
    /^\s*password\s*[=:]$/i.test(isWide ? before : readPlainText(Buffer.from(before, encoding)))
  const blanked = text.replace(
    /^([^=:\r\n]*[=:])([^\r\n]*)/gm,
    (line, before: string, secret: string) =>
      isPassword(before) ? before + ' '.repeat(secret.length) : line,
  )
  return Buffer.from(blanked, encoding)
}
