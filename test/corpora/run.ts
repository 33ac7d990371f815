import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Decoder } from '../../src/labels/codecs/decoder.ts'
import { gif, png } from '../../src/labels/codecs/index.ts'
import { LabelFault } from '../../src/labels/fault.ts'

// PngSuite and giflib's pictures out of Debian's source packages, judged by libvips, bit for bit: 16 bits and transparency
// too. They need the network and deb-src lines in apt's sources, so this is a script of its own (`make corpora`) and no
// part of `make test`.
const CORPORA: readonly [string, Decoder, string][] = [
  ['libpng1.6', png, '**/contrib/pngsuite/*.png'],
  ['giflib', gif, '**/pic/*.gif'],
]

let failures = 0
const folder = mkdtempSync(join(tmpdir(), 'platen-corpora-'))
for (const [name, decoder, pattern] of CORPORA) {
  const files = fetchSource(name) ? globSync(pattern, { cwd: folder }) : []
  let compared = 0
  for (const file of files) compared += (await judge(decoder, join(folder, file))) ? 1 : 0
  process.stdout.write(`${name}: ${compared} of ${files.length} pictures compared\n`)
  // Pictures that nobody looked at are not right.
  if (compared === 0) failures++
}
rmSync(folder, { recursive: true })
process.stdout.write(`${failures} failed\n`)
process.exitCode = failures > 0 ? 1 : 0

function fetchSource(name: string): boolean {
  try {
    execFileSync('apt-get', ['source', '-qq', name], { cwd: folder, stdio: 'pipe' })
    return true
  } catch (cause) {
    const [why = ''] = String((cause as { stderr?: unknown }).stderr ?? cause).split('\n')
    process.stdout.write(`${name}: skipped, apt-get source says: ${why}\n`)
    return false
  }
}

/** False when one of the two refuses the picture. */
async function judge(decoder: Decoder, path: string): Promise<boolean> {
  const bytes = readFileSync(path)
  const ours = await decode(decoder, bytes)
  const theirs = await decodeByLibvips(bytes).catch((cause: unknown) => String(cause))
  if (typeof ours === 'string' || typeof theirs === 'string') {
    process.stdout.write(`${path}: ${ours.slice(0, 80)} | ${theirs.slice(0, 80)}\n`)
    if (typeof ours === 'string' && typeof theirs !== 'string') failures++
    return false
  }
  const most = ours.reduce((sum, value, n) => Math.max(sum, Math.abs(value - (theirs[n] ?? 0))), 0)
  if (ours.length === theirs.length && most === 0) return true
  failures++
  process.stdout.write(`${path}: ${most} steps of grey from libvips\n`)
  return true
}

async function decode(decoder: Decoder, bytes: Buffer): Promise<Buffer | string> {
  const rows: Buffer[] = []
  try {
    await decoder.decode(bytes, 1, (row) => rows.push(Buffer.from(row)))
    return Buffer.concat(rows)
  } catch (error) {
    if (error instanceof LabelFault) return error.message
    throw error
  }
}

async function decodeByLibvips(bytes: Buffer): Promise<Buffer> {
  const rgba = await sharp(bytes).toColourspace('srgb').ensureAlpha().raw().toBuffer()
  const luma = Buffer.alloc(rgba.length / 4)
  for (let n = 0; n < luma.length; n++) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(n * 4, n * 4 + 4)
    const colour = (77 * red + 150 * green + 29 * blue) >> 8
    luma[n] = Math.round((colour * alpha + 255 * (255 - alpha)) / 255)
  }
  return luma
}
