import {
  boolean,
  enumeration,
  type IppAttributes,
  type IppValue,
  integer,
  keyword,
  range,
  resolution,
} from '#printers'
import type { PrintOptions } from '../../core/job.ts'
import { REQUEST_LIMITS } from '../../core/request/reader.ts'
import type { SharedPrinter } from './printer.ts'

type TemplateValues = readonly IppValue[]
type TemplateValue = IppValue['value']

/** The values that a printer reports for an attribute that may come with a job. */
interface TemplateSupport {
  /** `xxx-default`; left out: none. */
  readonly usual?: TemplateValues
  /** `xxx-supported`; left out: reported elsewhere. */
  readonly supported?: TemplateValues
}

/** An attribute that may come with a job (RFC 8011, 5.2; PWG 5100.13). */
interface TemplateAttribute {
  /** Returns the values of a printer; undefined: the printer does not know the attribute. */
  readonly offer: (shared: SharedPrinter) => TemplateSupport | undefined
  /** Tells whether a value is obeyed; left out: any value is taken, and one that means nothing for labels has no effect. */
  readonly isObeyed?: (value: TemplateValue, shared: SharedPrinter) => boolean
}

const one = (values: TemplateValues): TemplateSupport => ({ usual: values, supported: values })
const choice = (usual: string, ...others: readonly string[]): TemplateSupport => ({
  usual: keyword(usual),
  supported: keyword(usual, ...others),
})
const DARKEST = 100

/** The attributes that a client may send with a job without breaking anything; CUPS and Android leave out what is not listed. */
const TABLE: ReadonlyMap<string, TemplateAttribute> = new Map(
  Object.entries<TemplateAttribute>({
    copies: {
      offer: () => ({ usual: integer(1), supported: range(1, REQUEST_LIMITS.copies) }),
      isObeyed: (value) => isBetween(value, 1, REQUEST_LIMITS.copies),
    },
    finishings: { offer: () => one(enumeration(3)) },
    'job-hold-until': {
      offer: () => choice('no-hold', 'indefinite'),
      isObeyed: (value) => value === 'no-hold' || value === 'indefinite',
    },
    media: { offer: () => ({}) },
    'media-col': { offer: () => ({}) },
    'multiple-document-handling': { offer: () => choice('separate-documents-collated-copies') },
    'orientation-requested': {
      offer: () => ({ usual: enumeration(3), supported: enumeration(3, 4, 5, 6, 7) }),
      isObeyed: (value) => isBetween(value, 3, 7),
    },
    // With face-up Android and CUPS send the last page first.
    'output-bin': { offer: () => choice('face-down') },
    overrides: {
      offer: () => ({ supported: keyword('document-numbers', 'document-number', 'pages') }),
    },
    'page-ranges': { offer: () => ({ supported: boolean(true) }), isObeyed: isRange },
    'print-color-mode': { offer: () => choice('monochrome', 'auto', 'bi-level') },
    'print-content-optimize': {
      offer: () => choice('auto', 'graphic', 'photo', 'text', 'text-and-graphic'),
    },
    // Only if the settings have a darkness: then every picture sets it, and none inherits that of the previous one.
    'print-darkness': {
      offer: ({ printer: { darkness } }) =>
        darkness === undefined ? undefined : { usual: integer(0), supported: integer(2 * DARKEST) },
      isObeyed: (value) => isBetween(value, -DARKEST, DARKEST),
    },
    'print-quality': { offer: () => ({ usual: enumeration(4), supported: enumeration(3, 4, 5) }) },
    'print-rendering-intent': { offer: () => choice('auto') },
    // Not fill: it cuts bars off.
    'print-scaling': {
      offer: () => choice('auto', 'auto-fit', 'fit', 'none'),
      isObeyed: (value) => value !== 'fill',
    },
    'printer-resolution': {
      offer: ({ dpi }) => one(resolution(dpi)),
      isObeyed: (value, { dpi }) => Array.isArray(value) && value[0] === dpi && value[1] === dpi,
    },
    sides: { offer: () => choice('one-sided'), isObeyed: (value) => value === 'one-sided' },
  }),
)

/** True for attributes that belong to the group `job-template`. */
export function isTemplateName(name: string): boolean {
  return TABLE.has(name)
}

/** Lists the attributes that may come with a job for this printer. */
export function listTemplate(shared: SharedPrinter): readonly string[] {
  return [...TABLE.keys()].filter(
    (name) => name !== 'overrides' && TABLE.get(name)?.offer(shared) !== undefined,
  )
}

/** Describes `xxx-default` and `xxx-supported` of all attributes. */
export function sayTemplate(shared: SharedPrinter): Readonly<Record<string, TemplateValues>> {
  const said: Record<string, TemplateValues> = {}
  for (const [name, { offer }] of TABLE) {
    const { usual, supported } = offer(shared) ?? {}
    if (usual !== undefined) said[`${name}-default`] = usual
    if (supported !== undefined) said[`${name}-supported`] = supported
  }
  const { darkness } = shared.printer
  return darkness === undefined
    ? said
    : {
        ...said,
        'printer-darkness-configured': integer(darkness),
        'printer-darkness-supported': integer(DARKEST),
      }
}

/** Tells whether the values of an attribute are obeyed. */
export function isObeyed(name: string, values: TemplateValues, shared: SharedPrinter): boolean {
  const attribute = TABLE.get(name)
  if (attribute === undefined || name === 'overrides') return false
  if (attribute.offer(shared) === undefined) return false
  return (
    attribute.isObeyed === undefined ||
    values.every(({ value }) => attribute.isObeyed?.(value, shared))
  )
}

/** Returns the number of copies of each label. */
export function copiesOf(template: IppAttributes): number {
  const value = firstOf(template, 'copies')
  return typeof value === 'number' ? value : 1
}

/** True = the job waits until somebody releases it. */
export function isHeld(template: IppAttributes): boolean {
  return firstOf(template, 'job-hold-until') === 'indefinite'
}

/** Clockwise turns of orientation-requested: landscape is a quarter turn counterclockwise (RFC 8011, 5.2.10). */
const TURNS: Readonly<Record<number, string>> = { 4: '270', 5: '90', 6: '180' }
/** Formats of pages that the client has drawn: it has already chosen, turned and scaled them. */
const DRAWN_THERE: ReadonlySet<string> = new Set(['image/pwg-raster', 'image/urf'])

/** Returns the print options of a document. */
export function optionsOf(
  template: IppAttributes,
  format: string,
  { printer: { darkness } }: SharedPrinter,
): PrintOptions {
  const isDrawnHere = !DRAWN_THERE.has(format)
  const turn = isDrawnHere ? TURNS[Number(firstOf(template, 'orientation-requested'))] : undefined
  const isUnscaled = isDrawnHere && firstOf(template, 'print-scaling') === 'none'
  const change = firstOf(template, 'print-darkness')
  const isDarker = darkness !== undefined && typeof change === 'number' && change !== 0
  return {
    ...pagesOf(template, format),
    ...(turn === undefined ? {} : { rotate: turn }),
    ...(isUnscaled ? { scaling: 'none' } : {}),
    ...(isDarker ? { darkness: Math.min(Math.max(darkness + change, 0), DARKEST) } : {}),
  }
}

/** Formats that may have several pages; `application/octet-stream`: a picture that has no name here, such as a TIFF. */
const OF_PAGES: ReadonlySet<string> = new Set(['application/pdf', 'application/octet-stream'])

function pagesOf(template: IppAttributes, format: string): PrintOptions {
  const ranges = template.get('page-ranges') ?? []
  if (ranges.length === 0 || !OF_PAGES.has(format)) return {}
  return { pages: ranges.map(({ value }) => (isRange(value) ? value.join('-') : '')).join(',') }
}

function isRange(value: TemplateValue): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value[0] >= 1 && value[1] >= value[0]
}

function isBetween(value: TemplateValue, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}

function firstOf(template: IppAttributes, name: string): TemplateValue | undefined {
  return template.get(name)?.[0]?.value
}
