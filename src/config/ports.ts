import type { Config } from './schema.ts'

/** Two keys that want the same port: one fault for the second of each pair. Ports that are switched off count for nothing. */
export function findPortClashes(
  config: Config,
): readonly { readonly key: string; readonly message: string }[] {
  const taken = new Map<number, string>()
  const faults: { key: string; message: string }[] = []
  for (const [key, port] of listPorts(config)) {
    const other = taken.get(port)
    if (other === undefined) taken.set(port, key)
    else if (key !== other)
      faults.push({ key, message: `needs port ${port}, as ${other} does; wanted another one` })
  }
  return faults
}

function listPorts(config: Config): readonly (readonly [string, number])[] {
  const { raw_port: raw, printers = [], qz_port: qz, browser_print_port: browser } = config
  const pair = (key: string, port: number) => [[key, port] as const, [key, port + 1] as const]
  return [
    ['port', Number(config.port)] as const,
    ...(config.use_ssl ? [['secure_port', Number(config.secure_port)] as const] : []),
    ...(raw === undefined ? [] : [['raw_port', raw] as const]),
    ...printers.flatMap(({ raw_port: port }, index) =>
      port === undefined ? [] : [[`printers[${index}].raw_port`, port] as const],
    ),
    ...(config.qz_tray && qz !== undefined ? pair('qz_port', qz) : []),
    ...(config.browser_print ? pair('browser_print_port', browser) : []),
  ].filter(([, port]) => port !== 0)
}
