import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { EMULATED_MS } from '../until.ts'

/** Commands that a program may send to a printer between labels: questions, and the way out of half a label. */
const ASIDES = ['~HS', '~HQES', '~HI', '~JA', '\n^ee\n', '\x1b!?'] as const
const SETTING = /! U1 getvar "[\w.]+"\r\n/g

/** Lists the labels in a printer's bytes: what is left without the questions beside them. */
function listLabels(stream: Buffer, labels: readonly Buffer[]): string[] {
  let rest = stream.toString('latin1')
  const found: string[] = []
  for (const [index, label] of labels.entries()) {
    const parts = rest.split(label.toString('latin1'))
    found.push(...parts.slice(1).map(() => `label ${index}`))
    rest = parts.join('')
  }
  const odd = ASIDES.reduce((text, aside) => text.replaceAll(aside, ''), rest.replace(SETTING, ''))
  return odd === ''
    ? found
    : [...found, `${odd.length} bytes more, ${JSON.stringify(odd.slice(0, 40))}`]
}

/**
 * Asserts that after its first `from` bytes it has got these of the labels and nothing more. A label can be done a moment
 * before the printer's own process has read its last bytes.
 */
export async function hasPrinted(
  t: Test,
  printer: { received(): Promise<Buffer> },
  labels: readonly Buffer[],
  wanted: readonly string[],
  from = 0,
): Promise<void> {
  const read = async () => listLabels((await printer.received()).subarray(from), labels)
  const end = performance.now() + EMULATED_MS
  let seen = await read()
  while (seen.join() !== wanted.join() && performance.now() < end) {
    await sleep(100)
    seen = await read()
  }
  t.same(seen, wanted)
}

/** A ZPL label of about so many bytes, unlike any of another `seed`. */
export function makeZpl(length: number, seed: number): Buffer {
  const hex = makeNoise(Math.ceil(length / 2), seed).toString('hex')
  const bytes = hex.length / 2
  return Buffer.from(`^XA^FO0,0^GFA,${bytes},${bytes},100,${hex}^FS^XZ`)
}

/** An EPL label of about so many bytes: pictures of at most 20 KB, and a text. */
export function makeEpl(length: number, seed: number): Buffer {
  const noise = makeNoise(length, seed)
  const parts: Buffer[] = [Buffer.from('\nN\nq812\n')]
  for (let at = 0; at < noise.length; at += 20_000) {
    const picture = noise.subarray(at, at + 20_000)
    const rows = Math.ceil(picture.length / 100)
    const head = Buffer.from(`GW0,${at / 100},100,${rows},`)
    parts.push(head, picture, Buffer.alloc(rows * 100 - picture.length), Buffer.from('\n'))
  }
  return Buffer.concat([...parts, Buffer.from('P1\n')])
}

/** A TSPL label of about so many bytes: one picture. */
export function makeTspl(length: number, seed: number): Buffer {
  const rows = Math.ceil(length / 100)
  const head = Buffer.from(`SIZE 4,6\r\nCLS\r\nBITMAP 0,0,100,${rows},0,`)
  return Buffer.concat([head, makeNoise(rows * 100, seed), Buffer.from('\r\nPRINT 1,1\r\n')])
}

/** Bytes of all values in no order; the same ones for the same seed (a linear congruential generator). */
function makeNoise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed * 7919 + 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}
