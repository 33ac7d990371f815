/**
 * Where a program of its own lies, e.g. `render/worker`: beside the sources, or in the bundle, where this module may
 * have become part of any file at the top.
 */
export function findEntry(name: string, here: string = import.meta.url): URL {
  return here.endsWith('.ts') ? new URL(`../${name}.ts`, here) : new URL(`./${name}.js`, here)
}

/** The folder of the page, absolute URL: beside `src/`, or inside the bundle. */
export function findWebFolder(here: string = import.meta.url): URL {
  return here.endsWith('.ts') ? new URL('../../web/', here) : new URL('./web/', here)
}
