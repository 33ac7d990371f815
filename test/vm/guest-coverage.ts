import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface V8Coverage {
  readonly result: readonly { readonly url: string }[]
}

/** Copies what the guest's processes covered of `sources` to where tap's report looks for coverage. */
export function keepSources(from: string, to: string, sources: string): void {
  const start = `${pathToFileURL(sources).href}/`
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const { result } = JSON.parse(readFileSync(join(from, name), 'utf8')) as V8Coverage
    const ours = result.filter(({ url }) => url.startsWith(start))
    if (ours.length > 0) {
      writeFileSync(join(to, `guest-${name}`), JSON.stringify({ result: ours }))
    }
  }
}
