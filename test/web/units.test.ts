import t from 'tap'
import { importPage } from './in-node.ts'

/** Returns the page's unit for a browser of this language. */
async function unitFor(language: string): Promise<string> {
  Object.defineProperty(globalThis, 'navigator', { value: { language }, configurable: true })
  const { unit } = await importPage<{ unit(): string }>('shell/units.js')
  return unit()
}

t.test('lengths are in the unit of the region that the browser names', async (t) => {
  t.equal(await unitFor('en-US'), 'in')
  t.equal(await unitFor('de-DE'), 'mm')
  t.equal(await unitFor('en-GB'), 'mm')
  t.equal(await unitFor(''), 'in')
})

t.test('... and a language that is none does not stop the page', async (t) => {
  t.equal(await unitFor('C'), 'mm', 'WebKit on a system without a locale')
})
