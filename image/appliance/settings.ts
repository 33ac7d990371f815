/** The settings of a config.json, and what was changed in them so that the box can be reached. */
export interface BoxSettings {
  readonly text: string
  readonly remarks: readonly string[]
}

const OWN_NAMES = ['localhost', '127.0.0.1', '::1']

/**
 * A checked config.json as the box takes it. On a laptop the server listens to its own computer only, which is right there;
 * a box that did would answer nobody.
 */
export function fitSettings(text: string): BoxSettings {
  const settings = JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>
  const host = settings['host'] ?? '' // null is as good as left out
  const remarks =
    typeof host === 'string' && OWN_NAMES.includes(host.toLowerCase())
      ? [`host was "${host}", which no other computer reaches: it is now "" (all networks).`]
      : []
  if (remarks.length > 0 || host === '') settings['host'] = ''
  settings['open_browser'] = false
  return { text: `${JSON.stringify(settings, null, 2)}\n`, remarks }
}
