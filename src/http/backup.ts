import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { Hono } from 'hono'
import { type Discovery, isMemory } from '#printers'
import { dayText } from '../core/job.ts'
import type { Printers } from '../core/printers/registry.ts'
import { BodyBudget } from '../core/request/body-budget.ts'
import { exportJobs } from '../core/spool/backup.ts'
import { type RestoreResult, Restorer } from '../core/spool/restore.ts'
import type { Spool } from '../core/spool/spool.ts'
import { formatFault, makeWarning, type SettingFault } from '../settings/faults.ts'
import { refuseTakenNames } from '../settings/printer-changes.ts'
import type { ConfigStore } from '../settings/store.ts'
import { readCode } from '../settings/write.ts'
import { doubtHost, isReachable } from '../system/address.ts'
import { PlatenError } from '../words/errors.ts'
import {
  inEnglish,
  join as joinSaid,
  NOTHING,
  type Sentences,
  saidJson,
  say,
} from '../words/say.ts'
import type { Access } from './access/access.ts'
import {
  type CheckedBackup,
  checkBackup,
  longestLine,
  readJobs,
  writeBackup,
} from './backup-file.ts'
import { boundsWith } from './bounds.ts'
import { type Calls, route } from './call.ts'
import { noteJson } from './config.ts'
import { CHANGED } from './field-schemas.ts'
import { readBody } from './guard/body.ts'
import { allowLong } from './guard/time-limits.ts'
import { object, ok, ref, text, textAnswer, whole } from './json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'
import { readAuthority, restoreAuthority } from './tls/certificate-files.ts'

/** A backup is read to the disk first, so this bounds disk, not memory. */
const BACKUP_BYTES_MOST = 2 ** 30
/** The space of the partition that must stay free while it lies there. */
const FREE_BYTES_LEFT = 64 * 2 ** 20
const CHUNK_BYTES = 64 * 1024

const TAG = 'Settings'

/** The print server in one file. */
export const backupCalls = {
  getBackup: {
    method: 'get',
    path: '/backup',
    tag: TAG,
    security: 'admin',
    summary: 'The print server in one file',
    answers: textAnswer('A file.', 'application/x-ndjson'),
  },
  restoreBackup: {
    method: 'post',
    path: '/backup',
    tag: TAG,
    security: 'admin',
    summary: 'Restore a backup',
    content: () => ({ 'application/x-ndjson': text() }),
    answers: () =>
      ok(
        'What was restored.',
        object({ ...CHANGED, texts: ref('Texts'), labels: whole(), known: whole() }),
      ),
  },
} as const satisfies Calls

/** The parts that these routes work with. */
export interface BackupParts {
  readonly access: Pick<Access, 'admin'>
  readonly config: Pick<ConfigStore, 'whole' | 'check' | 'put' | 'current'>
  readonly spool: Pick<Spool, 'archive' | 'add' | 'history' | 'repeats' | 'health' | 'line'>
  readonly discovery: Pick<Discovery, 'memory' | 'join' | 'namesLostTo'>
  readonly printers: Pick<Printers, 'list' | 'get'>
  readonly stateFolder: string
  readonly log: Pick<AppParts['log'], 'error'>
  readonly info: () => { readonly version: string; readonly hostName: string }
}

/** `GET /backup`, the box in one file, and `POST /backup`, which makes this box that one. Both of the admin. */
export function createBackupRoutes(parts: BackupParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const file = join(parts.stateFolder, 'restore.tmp')
  rmSync(file, { force: true }) // of a restore that a power cut ended: up to 1 GiB
  let isRestoring = false
  app.use('/backup', parts.access.admin())
  route(app, backupCalls.getBackup, async (c) => {
    const { hostName } = parts.info()
    const day = dayText(new Date())
    const name = `platen-${hostName.replace(/[^\w.-]/g, '_').slice(0, 60)}-${day}.backup`
    const headers = {
      'Content-Type': 'application/x-ndjson',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    }
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    return c.body(await openBackup(parts), 200, headers)
  })
  route(app, backupCalls.restoreBackup, async (c) => {
    if (isRestoring) throw new PlatenError('SERVER_BUSY', say('anotherRestore'))
    isRestoring = true
    allowLong(c.env?.incoming)
    try {
      await receive(c, parts, file)
      return c.json(await restore(parts, file))
    } finally {
      await rm(file, { force: true })
      isRestoring = false
    }
  })
  return app
}

/** Written as it is read: the memory holds one label. */
async function openBackup(parts: BackupParts): Promise<ReadableStream<Uint8Array>> {
  const box = {
    config: parts.config.whole(),
    printers: parts.discovery.memory(),
    authority: await readAuthority(join(parts.stateFolder, 'tls'), (err) =>
      parts.log.error({ err }, 'backup without the certificate authority'),
    ),
  }
  const about = { version: parts.info().version, made: new Date().toISOString() }
  const lines = writeBackup(box, about, exportJobs(parts.spool))
  return new ReadableStream({
    async pull(controller) {
      // Who reads quickly would have the whole file in one turn.
      await othersTurn()
      let text = ''
      while (text.length < CHUNK_BYTES) {
        const { value, done } = lines.next()
        if (done) {
          if (text !== '') controller.enqueue(Buffer.from(text))
          controller.close()
          return
        }
        text += value
      }
      controller.enqueue(Buffer.from(text))
    },
  })
}

/** @throws PlatenError BODY_*, SPOOL_FULL, STATE_UNWRITABLE */
async function receive(c: HttpContext, parts: BackupParts, file: string): Promise<void> {
  const room = Math.max(0, parts.spool.health.usage().freeBytes - FREE_BYTES_LEFT)
  const bodyBytes = Math.min(BACKUP_BYTES_MOST, room)
  const shipped = boundsWith()
  // The box may sit where the Wi-Fi breaks off for seconds, and the file takes long: only standing still is given up.
  const bounds = { ...shipped, bodyBytes, bodyIdleMs: shipped.backupIdleMs }
  const budget = new BodyBudget({ limitBytes: bodyBytes, freeBytes: 0, waitMs: bounds.bodyWaitMs })
  const target = onDisk(() => openSync(file, 'w', 0o600))
  try {
    await readBody(c, { bounds, budget }, (chunk) =>
      onDisk(() => {
        for (let at = 0; at < chunk.length; ) at += writeSync(target, chunk, at)
      }),
    )
  } finally {
    closeSync(target)
  }
}

/** @throws PlatenError SPOOL_FULL, STATE_UNWRITABLE */
function onDisk<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (readCode(cause) === 'ENOSPC') {
      throw new PlatenError('SPOOL_FULL', say('diskFull'), { cause })
    }
    throw new PlatenError('STATE_UNWRITABLE', 'The backup cannot be put on the disk.', { cause })
  }
}

/** Finds the size of the largest request here, and no less than boxes take as they come. */
function bodyBytes({ config }: BackupParts): number {
  return Math.max(boundsWith().bodyBytes, config.current.max_body_mb * 2 ** 20)
}

/** Everything is checked before anything is changed. */
async function restore(parts: BackupParts, file: string): Promise<object> {
  const lineBytes = longestLine(bodyBytes(parts))
  const checked = await checkBackup(file, lineBytes)
  const { box } = checked
  if (box.printers !== '' && !isMemory(box.printers)) {
    throw new PlatenError('BACKUP_BROKEN', say('notRestored'), {
      detail: 'Its printers cannot be read.',
    })
  }
  const { settings, notices } = await withOwnHost(parts, box.config)
  const lost = listLostNames(parts, box)
  refuseTakenNames(parts, [...lost, ...(parts.config.check(settings).printers ?? [])])
  refuseTooLarge(parts, checked)
  const restored = await restoreJobs(parts, file, lineBytes)
  const login = loginOf(parts)
  const { restart, warnings: odd } = await parts.config.put(settings, ({ printers = [] }) => {
    // Labels that came meanwhile; those that were restored are held, and wait for the printers of the backup.
    const countUnfinished = (printer: string) => parts.spool.line.waiting().get(printer) ?? 0
    refuseTakenNames({ ...parts, spool: { line: { countUnfinished } } }, [...lost, ...printers])
  })
  const warnings = [...notices, ...odd]
  const notes = warnings.map(noteJson)
  if (box.printers !== '') parts.discovery.join(box.printers)
  const isNew = await restoreAuthority(join(parts.stateFolder, 'tls'), box.authority)
  const waiting = isNew ? [...restart, 'certificates'] : restart
  const isOtherLogin = loginOf(parts) !== login
  const message = joinSaid(
    describe(restored),
    isOtherLogin ? say('otherLogin') : NOTHING,
    describeRestart(waiting),
  )
  return {
    Status: 'OK',
    Message: inEnglish(message),
    ...saidJson(message, NOTHING),
    ...restored,
    restart: waiting,
    warnings: warnings.map(formatFault),
    notes,
  }
}

/** Returns the login. The maker of the backup may have chosen another one, and the session that restores it ends with the old one. */
function loginOf({ config }: BackupParts): string {
  const { username = '', password = '' } = config.current
  return JSON.stringify([username, password])
}

/**
 * The settings of the backup; a host that only the box of the backup had stays as it is here, and so does one that others
 * reach: with that of a laptop the box would answer nobody any more.
 * @throws PlatenError CONFIG_INVALID
 */
async function withOwnHost(
  { config }: BackupParts,
  settings: object,
): Promise<{ readonly settings: object; readonly notices: readonly SettingFault[] }> {
  const { host } = config.check(settings)
  const own = config.current.host
  const doubt = host === own ? undefined : await doubtHost(host)
  const isLost = isReachable(own) && !isReachable(host)
  if (!isLost && !doubt?.isWrong) return { settings, notices: [] }
  const why = isLost ? `got "${host}", which no other computer reaches` : doubt?.message
  const message = `${why}. It stays "${own}".`
  const notice = makeWarning('host', message, { key: 'hostStays', values: {} })
  return { settings: { ...settings, host: own }, notices: [notice] }
}

/**
 * Lists what found printers are called here and not in the backup, as names that they lose: labels that wait for one would
 * go astray.
 */
function listLostNames({ discovery }: BackupParts, { printers }: CheckedBackup['box']) {
  return printers === '' ? [] : discovery.namesLostTo(printers).map((name) => ({ name, uri: '' }))
}

/** @throws PlatenError SPOOL_FULL */
function refuseTooLarge({ spool }: BackupParts, { jobBytes }: CheckedBackup): void {
  if (spool.health.hasRoom(jobBytes)) return
  throw new PlatenError('SPOOL_FULL', say('backupTooLarge'), {
    detail: `They have ${jobBytes} bytes.`,
  })
}

/** Between two jobs others get their turn: each is a commit. */
async function restoreJobs(
  parts: BackupParts,
  file: string,
  lineBytes: number,
): Promise<RestoreResult> {
  const restorer = new Restorer(parts.spool)
  for await (const line of readJobs(file, lineBytes)) {
    restorer.take(line)
    await othersTurn()
  }
  return restorer.end()
}

function describe({ labels, known }: RestoreResult): Sentences {
  const came =
    labels === 0
      ? say('settingsRestored')
      : joinSaid(say('labelsRestored', { n: labels }), say('checkRestored'))
  return known === 0 ? came : joinSaid(came, say('wereHere', { n: known }))
}

function describeRestart(keys: readonly string[]): Sentences {
  return keys.length === 0 ? NOTHING : say('atNextStart')
}
