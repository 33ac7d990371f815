import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TcpSink } from '../devices/tcp-sink.ts'

/** Labels whose acceptance the client has read, by the id of their job. */
export type Sent = Map<string, string>

const WHOLE = /^\^XA\^FX([^^]*)\^FS\.*\^XZ\n$/
/** The box's own start label, which is drawn when it is printed: whole with its last member. */
const START_LABEL = /^\{"name":.*,"version":"[\w.+-]+"\}$/

/** Reads the spool in a state folder as the next boot finds it, from a copy: every accepted label is there, and every label is whole. */
export async function checkSpool(state: string, sent: Sent): Promise<readonly string[]> {
  const names = await readdir(state).catch((): string[] => [])
  const faults = names
    .filter((name) => name.includes('corrupt'))
    .map((name) => `a boot found a damaged spool: ${name}`)
  if (!names.includes('spool.db')) return sent.size === 0 ? faults : [...faults, 'no spool.db']
  const copy = await mkdtemp(join(tmpdir(), 'platen-spool-'))
  try {
    for (const name of names.filter((one) => /^spool\.db(-wal)?$/.test(one))) {
      await copyFile(join(state, name), join(copy, name))
    }
    return [...faults, ...readSpool(join(copy, 'spool.db'), sent)]
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

function readSpool(file: string, sent: Sent): readonly string[] {
  const db = new DatabaseSync(file)
  try {
    const verdict = String(db.prepare('PRAGMA integrity_check').get()?.['integrity_check'] ?? '')
    const damage = verdict === 'ok' ? [] : [`integrity_check: ${verdict}`]
    // A spool that nobody has written to has no tables.
    const hasJobs = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'job'").get() !== undefined
    const rows = hasJobs
      ? db.prepare('SELECT id, has_label, label FROM job LEFT JOIN body USING(seq)').all()
      : []
    const known = new Set(rows.map((row) => row['id']))
    const lost = [...sent.keys()].filter((id) => !known.has(id))
    return [
      ...damage,
      ...lost.map((id) => `lost: ${id} was accepted`),
      ...rows.flatMap((row) => checkRow(row, sent.get(String(row['id'])))),
    ]
  } finally {
    db.close()
  }
}

/** A label that was let go of long after its end is not a fault. */
function checkRow(
  row: Readonly<Record<string, unknown>>,
  accepted: string | undefined,
): readonly string[] {
  const { id, has_label: hasLabel, label } = row
  if (hasLabel !== 1) return []
  const text = label instanceof Uint8Array ? Buffer.from(label).toString('latin1') : ''
  if (!WHOLE.test(text) && !START_LABEL.test(text)) return [`torn: ${String(id)}`]
  return accepted === undefined || text === accepted ? [] : [`another label: ${String(id)}`]
}

/** Counts how often each label came out of the printer, by its mark. */
export function countPrinted(sink: TcpSink): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { bytes } of sink.connections) {
    for (const part of Buffer.from(bytes)
      .toString('latin1')
      .split(/(?=\^XA)|(?=~)/)) {
      const mark = WHOLE.exec(part)?.[1]
      if (mark !== undefined) times.set(mark, (times.get(mark) ?? 0) + 1)
    }
  }
  return times
}

/** No label came out of the printer twice: nobody asked for that. */
export function checkPrinted(sink: TcpSink): readonly string[] {
  return [...countPrinted(sink)]
    .filter(([, count]) => count > 1)
    .map(([mark, count]) => `printed ${count} times: ${mark}`)
}
