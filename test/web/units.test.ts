import t from 'tap'

/** Its types are checked with the page's (web/jsconfig.json). */
const UNITS = new URL('../../web/units.js', import.meta.url).href

/** What the page measures in where the browser calls its language so. */
async function unitFor(language: string): Promise<string> {
  Object.defineProperty(globalThis, 'navigator', { value: { language }, configurable: true })
  const { unit } = (await import(UNITS)) as { unit(): string }
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
