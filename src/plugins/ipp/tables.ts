import type { PluginTables } from '../../core/spool/plugin-tables.ts'

/** The keys of print dialogs' requests. Only a query with this very text uses the index. */
export const DIALOG_KEYS = `key BETWEEN 'http:ipp' || char(10) AND 'http:ipp' || char(11)`

/**
 * The jobs of print dialogs, whose numbers are never used twice. `stage` = the outcome of a job without labels. Labels look for their
 * dialog's job as they leave the list, thousands at a time.
 */
export const tables: PluginTables = {
  owner: 'ipp',
  create: `
CREATE TABLE ipp_job(
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, printer TEXT NOT NULL, name TEXT NOT NULL, user TEXT NOT NULL,
  client TEXT NOT NULL, format TEXT NOT NULL, template BLOB NOT NULL, stage TEXT NOT NULL, message TEXT NOT NULL,
  at INTEGER NOT NULL, ended_at INTEGER NOT NULL, run INTEGER NOT NULL
);
CREATE INDEX ipp_job_client ON ipp_job(printer, client, id);
CREATE INDEX ipp_job_run ON ipp_job(run);
CREATE INDEX ipp_job_uuid ON ipp_job(uuid);
CREATE INDEX idem_dialog ON idem(first_seq) WHERE ${DIALOG_KEYS};
`,
  rows: ['ipp_job'],
}
