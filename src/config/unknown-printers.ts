import { findNearest } from '../printers/nearest.ts'
import { quote } from '../quote.ts'
import { type Config, PRINTER_PLACEHOLDER } from './schema.ts'

/** A sentence for each setting that names a printer which is not among the known ones; it may be found later. */
export function findUnknownPrinters(
  { printer, queues = [] }: Pick<Config, 'printer' | 'queues'>,
  known: readonly string[],
): readonly string[] {
  const named = [
    ...(printer === PRINTER_PLACEHOLDER ? [] : [{ key: 'printer', name: printer }]),
    ...queues.map((queue, index) => ({ key: `queues[${index}].printer`, name: queue.printer })),
  ]
  return named.flatMap(({ key, name = '' }) =>
    name === '' || known.includes(name) ? [] : `${key}: ${explain(name, known)}`,
  )
}

function explain(name: string, known: readonly string[]): string {
  const nearest = findNearest(name, known)
  return nearest === undefined
    ? `no printer is named ${quote(name)} yet; one that is found or added later may be.`
    : `no printer is named ${quote(name)}; is ${quote(nearest)} meant?`
}
