import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { PlatenError } from '../../errors.ts'
import type { MqttSettings } from '../mqtt.ts'

const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 }
const KEEP_ALIVE_MS = 10_000

/** A connection to the broker, not yet open. @throws PlatenError SOURCE_REFUSED when a certificate cannot be read */
export function openStream(settings: MqttSettings): Socket {
  const { protocol, hostname, port } = new URL(settings.url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const where = {
    host,
    port: port === '' ? (PORTS[protocol] ?? 0) : Number(port),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  }
  if (protocol === 'mqtt:') return connect(where)
  const { ca, client_cert: cert, client_key: key } = settings
  return connectTls({
    ...where,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: readPem('ca', ca) }),
    ...(cert === undefined ? {} : { cert: readPem('client_cert', cert) }),
    ...(key === undefined ? {} : { key: readPem('client_key', key) }),
  })
}

function readPem(name: string, value: string): string {
  if (value.includes('-----BEGIN')) return value
  try {
    return readFileSync(value, 'latin1')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no file'
    const message = `${name}: the file cannot be read (${code}); wanted the path of a PEM file, or its text.`
    throw new PlatenError('SOURCE_REFUSED', message, { cause })
  }
}
