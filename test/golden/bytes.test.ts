import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { hash, largeLabels, packLists, smallLabels } from './cases.ts'
import { listLayouts } from './layouts.ts'

t.setTimeout(300_000)
const folder = new URL('labels/', import.meta.url)

// When a change is meant: `make golden`, then read the difference. What they look like on paper: golden.test.ts.

t.test('small labels are the kept ones, byte for byte', async (t) => {
  const labels = await smallLabels()
  for (const { name, bytes } of labels) {
    const kept = readFileSync(new URL(name, folder))
    t.equal(Buffer.compare(bytes, kept), 0, `${name}: ${firstDifference(bytes, kept)}`)
  }
  const names = [...labels.map(({ name }) => name), 'digests.json']
  t.same(readdirSync(folder).sort(), names.sort(), 'nothing is kept that nobody makes')
})

t.test('large labels and pack lists have the kept digests', async (t) => {
  const text = readFileSync(new URL('digests.json', folder), 'utf8')
  const kept = JSON.parse(text) as Readonly<Record<string, { readonly job: string }>>
  for (const { name, bytes } of [...(await largeLabels()), ...(await packLists())])
    t.equal(hash(bytes), kept[name]?.job, name)
})

t.test('our own labels, and the description of our interface, are the kept ones', async (t) => {
  const kept: unknown = JSON.parse(readFileSync(new URL('layouts.json', import.meta.url), 'utf8'))
  t.same(await listLayouts(), kept)
})

function firstDifference(bytes: Uint8Array, kept: Uint8Array): string {
  const at = bytes.findIndex((byte, index) => byte !== kept[index])
  return at < 0 && bytes.length === kept.length
    ? 'as kept'
    : `${bytes.length} bytes, other at ${at}`
}
