import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { readSymbols } from '../interpreters/symbols.ts'
import { SHELF_SYMBOLS } from '../labels/shelf.ts'
import { digest, largeLabels, packLists, smallLabels } from './cases.ts'

t.setTimeout(300_000)
const folder = new URL('labels/', import.meta.url)

// When a change is meant: `make golden`, then read the difference.

t.test('small labels are the kept ones, byte for byte, and scan from every side', async (t) => {
  const labels = await smallLabels()
  for (const { name, bytes, raster } of labels) {
    const kept = readFileSync(new URL(name, folder))
    t.equal(Buffer.compare(bytes, kept), 0, `${name}: ${firstDifference(bytes, kept)}`)
    t.same(await readSymbols(raster), SHELF_SYMBOLS, name)
  }
  const names = [...labels.map(({ name }) => name), 'digests.json']
  t.same(readdirSync(folder).sort(), names.sort(), 'nothing is kept that nobody makes')
})

t.test('large labels and pack lists have the kept digests', async (t) => {
  const kept: unknown = JSON.parse(readFileSync(new URL('digests.json', folder), 'utf8'))
  const made = Object.fromEntries(
    [...(await largeLabels()), ...(await packLists())].map((golden) => [
      golden.name,
      digest(golden),
    ]),
  )
  t.same(made, kept)
})

function firstDifference(bytes: Uint8Array, kept: Uint8Array): string {
  const at = bytes.findIndex((byte, index) => byte !== kept[index])
  return at < 0 && bytes.length === kept.length
    ? 'as kept'
    : `${bytes.length} bytes, other at ${at}`
}
