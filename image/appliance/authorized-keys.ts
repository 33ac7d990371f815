import type { Parsed } from './plain-text.ts'

const KEY =
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]{32,}={0,2}(?: .*)?$/

/** Reads authorized_keys: public keys, one a line (sshd(8)); without options, which nobody needs here. */
export function parseAuthorizedKeys(text: string): Parsed<string> {
  if (/BEGIN [A-Z ]*PRIVATE KEY/.test(text)) {
    return {
      fault:
        'this is a private key. Keep it, and put the file that ends in .pub here; make a new pair, as this one lay on the card.',
    }
  }
  const keys: string[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    if (!KEY.test(line)) {
      return {
        fault: `line ${index + 1} is not a public key, wanted one like: ssh-ed25519 AAAA… name.`,
      }
    }
    keys.push(line)
  }
  if (keys.length === 0) return { fault: 'there is no key in it.' }
  return { value: `${keys.join('\n')}\n` }
}
