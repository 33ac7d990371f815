import * as v from 'valibot'
import type { Source } from './source.ts'

/** As much of an entry of `queues` as is needed; the keys of its type stand beside it. */
interface Queue {
  readonly type: string
}

/**
 * Queues that must not run, by their place, and why: the other side knows them by the name of one before them, so that
 * labels of one would come to the other.
 */
export function findClashes(
  queues: readonly Queue[],
  sources: readonly Source[],
): ReadonlyMap<number, string> {
  const clashes = new Map<number, string>()
  const known = new Map<string, string>()
  for (const [index, queue] of queues.entries()) {
    const source = sources.find(({ type }) => type === queue.type)
    if (source?.identity === undefined) continue
    const settings = v.parse(source.settings, queue)
    const name = `${source.type} ${source.identity.read(settings)}`
    const place = `queue ${index + 1} (${source.describe(settings)})`
    const first = known.get(name)
    if (first === undefined) known.set(name, place)
    else clashes.set(index, explain(place, first, source.identity.key))
  }
  return clashes
}

function explain(place: string, first: string, key: string): string {
  const whose = place.replace('q', 'Q')
  return `${whose} does not run: at the other side it has the same name as ${first}, and labels of one would come to the other. Give it a ${key} of its own.`
}
