import { say } from '../../words/say.ts'
import type { Door } from '../door/door.ts'
import {
  findLoopingPorts,
  leadsToPort,
  listPorts,
  type RawKeys,
  type RawSettings,
  settings,
} from './settings.ts'

/** Takes labels as plain bytes on a TCP port, known as raw, JetDirect or port 9100. */
export const raw: Door<RawSettings, RawKeys> = {
  name: 'raw',
  title: 'Port 9100 (raw TCP)',
  way: 'the raw port',
  key: 'raw_port',
  settings,
  read(config) {
    const ports = listPorts(config)
    return ports.length === 0 ? undefined : { host: config.host, ports }
  },
  leadsBack: (uri, at) => leadsToPort(uri, listPorts(at.config()), at),
  mayLoop: (uri, at, leadsBack) =>
    leadsToPort(uri, findLoopingPorts(listPorts(at.config()), at.printers(), leadsBack), at),
  lines: ({ ports }, { host }) =>
    ports.flatMap(({ port, printer }) => {
      const name = nameQueue(printer ?? 'labels', port)
      return [
        {
          where: printer === undefined ? say('whereProgram') : say('whereProgramFor', { printer }),
          line: `${host} port ${port}`,
        },
        {
          where: printer === undefined ? say('whereCups') : say('whereCupsFor', { printer }),
          line: `lpadmin -p ${name} -E -v socket://${host}:${port} -m raw`,
        },
      ]
    }),
  async start(settings, box, signal) {
    const { serveRaw } = await import('./serve.ts')
    return await serveRaw(settings, box, signal)
  },
}

/** Names the queue in a command for CUPS. A name that exists is overwritten there, so a name that loses letters gets the port added. */
function nameQueue(printer: string, port: number): string {
  const name = printer.replace(/[^\w-]+/g, '_').replace(/^[_-]+/, '')
  const isPlain = name !== '' && /^[ -~]+$/.test(printer)
  return isPlain ? name : `${name || 'labels'}_${port}`
}
