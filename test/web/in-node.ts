import { registerHooks } from 'node:module'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { locateLibrary } from '../../src/http/page.ts'
import { makeWordsFile } from '../../src/http/words-files.ts'

/** Imports a module of the page here: what it has from a server, which makes it of other folders, it has as that makes it. */
export async function importPage<Module>(name: string): Promise<Module> {
  registerHooks({
    resolve(specifier, context, next) {
      const library = locateLibrary(basename(specifier))
      return next(library === undefined ? specifier : pathToFileURL(library).href, context)
    },
  })
  globalThis.fetch = async (url) =>
    new Response(await makeWordsFile(`words/${basename(String(url))}`))
  return (await import(new URL(`../../web/${name}`, import.meta.url).href)) as Module
}
