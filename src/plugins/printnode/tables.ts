import type { PluginTables } from '../../core/spool/plugin-tables.ts'

/** Indexes of PrintNode's jobs: their rows, and which of them belong together. Other jobs cost nothing here. */
export const tables: PluginTables = {
  owner: 'printnode',
  create: `
CREATE INDEX job_printnode ON job(seq) WHERE source = 'printnode';
CREATE INDEX idem_together ON idem(first_seq, jobs) WHERE jobs > 1;
`,
}
