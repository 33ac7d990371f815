// Rewrites the golden labels, the digests of layouts and descriptions, and what carriers are sent and answer; a person reads the difference before it is committed. Run by `make golden`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { listKept } from '../carriers/kept.ts'
import { digestOddAnswers, digestOddOrders } from '../carriers/odd-answers.ts'
import { digestOddFiles } from '../labels/codecs/odd-files.ts'
import { digestOddLabels } from '../labels/languages/odd-labels.ts'
import { largeLabels, packLists, smallLabels } from './cases.ts'
import { listLayouts } from './layouts.ts'
import { digest } from './paper.ts'

const folder = new URL('labels/', import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const golden of await smallLabels()) writeFileSync(new URL(golden.name, folder), golden.bytes)
const digests = Object.fromEntries(
  [...(await largeLabels()), ...(await packLists())].map((golden) => [golden.name, digest(golden)]),
)
writeFileSync(new URL('digests.json', folder), `${JSON.stringify(digests, undefined, 2)}\n`)

const layouts = `${JSON.stringify(await listLayouts(), undefined, 2)}\n`
writeFileSync(new URL('layouts.json', import.meta.url), layouts)

const carriers = new URL('../carriers/kept/', import.meta.url)
rmSync(carriers, { recursive: true, force: true })
mkdirSync(carriers)
for (const [name, kept] of listKept()) {
  writeFileSync(new URL(name, carriers), `${JSON.stringify(kept, undefined, 1)}\n`)
}
const odd = { orders: digestOddOrders(), answers: digestOddAnswers() }
const oddText = `${JSON.stringify(odd, undefined, 2)}\n`
writeFileSync(new URL('../odd-answers.json', carriers), oddText)

const files = `${JSON.stringify(await digestOddFiles(), undefined, 2)}\n`
writeFileSync(new URL('../labels/codecs/odd-files.json', import.meta.url), files)

const labels = `${JSON.stringify(digestOddLabels(), undefined, 2)}\n`
writeFileSync(new URL('../labels/languages/odd-labels.json', import.meta.url), labels)
