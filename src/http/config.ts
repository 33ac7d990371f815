import { Hono } from 'hono'
import { findUnknownPrinters } from '../settings/check.ts'
import { formatFault, type SettingFault } from '../settings/faults.ts'
import { refuseTakenNames } from '../settings/printer-changes.ts'
import type { RecentLine } from '../system/log.ts'
import { inEnglish, saidJson } from '../words/say.ts'
import { type Calls, route } from './call.ts'
import { CHANGED, settings } from './field-schemas.ts'
import { list, object, ok, ref, text, time } from './json-schema.ts'
import type { AppParts, HttpEnv } from './parts.ts'
import { readJson } from './whole-body.ts'

const TAG = 'Settings'

/** The settings, and the log. */
export const configCalls = {
  getSettings: {
    method: 'get',
    path: '/config',
    tag: TAG,
    security: 'admin',
    summary: 'The settings, with their secrets masked',
    answers: (added) => ok('Settings.', settings(added.settings)),
  },
  saveSettings: {
    method: 'put',
    path: '/config',
    tag: TAG,
    security: 'admin',
    summary: 'Save the settings',
    content: (added) => ({ 'application/json': settings(added.settings) }),
    answers: () => ok('What needs a restart.', object(CHANGED)),
  },
  describeSettings: {
    method: 'get',
    path: '/config/schema',
    tag: TAG,
    security: 'admin',
    summary: 'The keys of the settings, for a form',
    answers: () => ok('Fields.', list({ type: 'object' })),
  },
  getLog: {
    method: 'get',
    path: '/log',
    tag: TAG,
    security: 'admin',
    summary: 'The last lines of the log, oldest first',
    answers: () =>
      ok(
        'At most 300, secrets masked.',
        object({
          lines: list(object({ at: time(), line: text(), texts: ref('Texts') }, ['texts'])),
        }),
      ),
  },
} as const satisfies Calls

/** `GET /config`, `PUT /config`, and `GET /config/schema` for the form of the settings page. */
export function createConfigRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('/config', parts.access.admin())
  app.use('/config/*', parts.access.admin())
  route(app, configCalls.getSettings, (c) => c.json(parts.config.masked()))
  route(app, configCalls.getLog, parts.access.admin(), (c) =>
    c.json({ lines: (parts.recentLog?.() ?? []).map(lineJson) }),
  )
  route(app, configCalls.describeSettings, (c) => c.json(parts.config.schema.fields))
  route(app, configCalls.saveSettings, async (c) => {
    const wanted = await readJson(c, parts.limits.body())
    const { restart, warnings } = await parts.config.put(wanted, ({ printers = [] }) =>
      refuseTakenNames(parts, printers),
    )
    const Message =
      restart.length === 0 ? '' : `Takes effect at the next start: ${restart.join(', ')}.`
    const all = [...warnings, ...warnOfPrinters(parts)]
    return c.json({
      Status: 'OK',
      Message,
      restart,
      warnings: all.map(formatFault),
      notes: all.map(noteJson),
    })
  })
  return app
}

/** A line of the log, with its sentences for other languages. */
function lineJson({ at, line, message, hint }: RecentLine): object {
  return { at, line, ...saidJson(message, hint) }
}

/** A warning as the page shows it. */
export function noteJson(warning: SettingFault): object {
  const { sentences } = warning
  return { message: inEnglish(sentences) || formatFault(warning), texts: sentences }
}

/** Warns of names of a printer that is not here, whether set up by hand or found. */
function warnOfPrinters({ config, printers }: AppParts): readonly SettingFault[] {
  const known = printers.list().map(({ name }) => name)
  return findUnknownPrinters(config.current, known, config.schema)
}
