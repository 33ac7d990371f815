import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eplLabel, fedexLikeZpl, tsplLabel, upsLikeZpl } from '../label-makers/raw.ts'
import { makeRandom } from '../random.ts'
import { draw } from './drawing.ts'

t.setTimeout(900_000)

const LIMIT_MS = 60_000 // what these labels cost, twenty times

t.test('labels that ask for too much end, with a sentence', async (t) => {
  const zpl = (text: string) => Buffer.from(`^XA${text}^XZ`)
  const hostile: [string, Uint8Array, string][] = [
    ['a huge box', zpl('^FO0,0^GB32000,32000,32000^FS'.repeat(3_000)), 'zpl'],
    ['100,000 fields', zpl('^FO1,1^A0N,20,20^FDx^FS'.repeat(100_000)), 'zpl'],
    ['a million commands and no tilde', zpl('^FS'.repeat(1_000_000)), 'zpl'],
    ['an endless length', zpl('^LL999999^PW999999^FO1,1^GB9,9^FS'), 'zpl'],
    ['a huge font', zpl('^FO1,1^A0N,32000,32000^FDWWWWWWWW^FS'), 'zpl'],
    ['forms that draw themselves', Buffer.from('^XA^DFA^FS^XFA^FS^XZ^XA^XFA^FS^XZ'), 'zpl'],
    [
      'forms in forms',
      Buffer.from(
        `^XA^DFA^FS${'^FO1,1^GB999,999,999^FS'.repeat(9_000)}^XZ^XA${'^XFA^FS'.repeat(999)}^XZ`,
      ),
      'zpl',
    ],
    [
      'runs without end',
      zpl(`^GFA,4000000,4000000,1000,${'z'.repeat(99_999)}F${':'.repeat(9_999)}`),
      'zpl',
    ],
    [
      'magnified graphics',
      zpl(`~DGA,100000,100,${':'.repeat(2_000)}${'^XGA,10,10^FS'.repeat(2_000)}`),
      'zpl',
    ],
    [
      'long bar codes',
      zpl(`^FO1,1^B7N^FD${'A'.repeat(99_999)}^FS^BQN,2,9^FDQA,${'b'.repeat(99_999)}^FS`),
      'zpl',
    ],
    ['a long block', zpl(`^FB10,9999,0^A0N,99,99^FD${'W'.repeat(99_999)}^FS`), 'zpl'],
    ['a million lines', Buffer.from('LO1,1,9,9\n'.repeat(1_000_000)), 'epl'],
    ['a huge picture', Buffer.from('N\nGW0,0,99999,99999,'), 'epl'],
    [
      'huge bars',
      Buffer.from(`SIZE 9999 mm,9999 mm\nCLS\n${'BAR 0,0,32000,32000\n'.repeat(9_999)}PRINT 1\n`),
      'tspl',
    ],
    ['a huge bitmap', Buffer.from('CLS\nBITMAP 0,0,99999,99999,0,'), 'tspl'],
  ]
  for (const [words, bytes, format] of hostile) {
    const begun = performance.now()
    const { gray } = await draw(bytes, format)
    t.ok(performance.now() - begun < LIMIT_MS, words)
    t.ok(gray.luma.length <= 24e6, `${words}: ${gray.width}x${gray.height}`)
  }
  const { warnings } = await draw(zpl('^FO0,0^GB32000,32000,32000^FS'.repeat(3_000)), 'zpl')
  t.match(warnings.join(' '), /tooLargeToDraw/)
})

t.test('mutated labels never stop the drawing', async (t) => {
  const count = Number(process.env['PLATEN_MUTATIONS'] ?? 300)
  const random = makeRandom(17)
  const folder = join(import.meta.dirname, 'labels')
  const carriers = readdirSync(folder).filter((name) => name.endsWith('.zpl'))
  const seeds = [
    ...carriers.map((name) => [readFileSync(join(folder, name)), 'zpl'] as const),
    ...[upsLikeZpl, fedexLikeZpl].map((bytes) => [bytes, 'zpl'] as const),
    ...Array.from({ length: 9 }, () => [eplLabel, 'epl'] as const),
    ...Array.from({ length: 9 }, () => [tsplLabel, 'tspl'] as const),
  ]
  let slowest = 0
  for (let n = 0; n < count; n++) {
    const [seed, format] = seeds[n % seeds.length] ?? [new Uint8Array(0), 'zpl']
    const bytes = mutate(seed, random)
    const begun = performance.now()
    await draw(bytes, format, { width_in: 4, height_in: 6 }).catch((error: unknown) =>
      t.fail(`mutation ${n}: ${error}`),
    )
    slowest = Math.max(slowest, performance.now() - begun)
  }
  t.comment(`${count} labels, the slowest took ${Math.round(slowest)} ms`)
  t.ok(slowest < LIMIT_MS)
})

/** Bytes changed, left out, doubled, and numbers made large. */
function mutate(seed: Uint8Array, random: () => number): Buffer {
  let bytes = Buffer.from(seed)
  const at = () => Math.floor(random() * bytes.length)
  for (let left = 1 + Math.floor(random() * 12); left > 0; left--) {
    const kind = random()
    const from = at()
    const to = Math.min(bytes.length, from + Math.floor(random() * 60))
    if (kind < 0.4) bytes[from] = Math.floor(random() * 256)
    else if (kind < 0.6) bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
    else if (kind < 0.8) bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
    else {
      const large = String(Math.floor(random() * 10 ** (1 + random() * 6)))
      bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(large), bytes.subarray(from)])
    }
  }
  return bytes
}
