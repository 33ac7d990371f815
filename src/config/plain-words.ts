import { say } from '../sentences.ts'

type Rule = readonly [RegExp, (values: readonly string[]) => string]

/** What a field wants, by what the fault of its key says: see `src/settings.ts`. */
const FAULTS: readonly Rule[] = [
  [
    /wanted a whole number from (\S+) to (\S+)$/,
    ([from = '', to = '']) => say('wantWhole', { from, to }),
  ],
  [
    /wanted a number from (\S+) to (\S+) \(/,
    ([from = '', to = '']) => say('wantNumber', { from, to }),
  ],
  [
    /wanted one of (.+)$/,
    ([choices = '']) => say('wantChoice', { choices: choices.replaceAll('"', '') }),
  ],
  [/wanted (?:a value, as this key|a text of at least one letter)/, () => say('wantValue')],
  [/wanted an address that begins with http/, () => say('wantWeb')],
  [/wanted (?:an origin such|a list of origins)/, () => say('wantOrigin')],
  [/wanted (?:a host name|a list of host names)/, () => say('wantHost')],
  [/wanted a time zone/, () => say('wantZone')],
  [/wanted host:port/, () => say('wantEndpoint')],
  [/wanted a name of 1 to /, () => say('wantName')],
  [/without control characters$/, () => say('wantLine')],
  [/the mask of a secret/, () => say('wantSecret')],
  [/needs port |the port of HTTP too/, () => say('wantOwnPort')],
  [/is the name of printers/, () => say('wantOwnName')],
  [/changed by hand/, () => say('changedByHand')],
  [/wanted one like \w+:|wanted (?:socket|serial|usb|ipp|winspool|file):/, () => say('noAddress')],
]

/** The same of settings that are right and odd: see `findWarnings`. */
const WARNINGS: readonly Rule[] = [
  [/^result_secret: /, () => say('unusedSecret')],
  [/ set without /, () => say('halfLogin')],
  [/ unknown key; /, () => say('unknownKeys')],
  [/ does not run: at the other side /, () => say('sameAsOther')],
  [/ no printer is named (.+) yet; /, ([name = '']) => say('comesLater', { name })],
  [
    / no printer is named (.+); did you mean (.+)\?$/,
    ([name = '', other = '']) =>
      `${say('namedNone', { name })} ${say('didYouMean', { name: other })}`,
  ],
  [/ It stays "/, () => say('hostStays')],
]

/** The fault of a key, as the form shows it beside its field. */
export function explainFault(message: string): string {
  return explain(FAULTS, message) ?? say('wantOther')
}

/** A warning without the names of keys; unchanged if no rule fits. */
export function explainWarning(warning: string): string {
  return explain(WARNINGS, warning) ?? warning
}

function explain(rules: readonly Rule[], text: string): string | undefined {
  for (const [pattern, words] of rules) {
    const match = pattern.exec(text)
    if (match !== null) return words(match.slice(1))
  }
  return undefined
}
