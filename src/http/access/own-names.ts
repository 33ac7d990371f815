import { hostname, networkInterfaces } from 'node:os'

/** The name that the documentation gives to the box on the packer's network, and in the hosts file. */
export const APPLIANCE_NAME = 'printserver.local'

/**
 * Names and addresses by which this machine is known now: the host name (whole, first label, with `.local`),
 * `printserver.local`, and each address of its interfaces. Link-local IPv6 comes without its zone.
 */
export function listOwnNames(
  host = hostname(),
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): readonly string[] {
  const whole = host.toLowerCase().replace(/\.$/, '')
  const first = whole.split('.')[0] ?? ''
  const names = first === '' ? [] : [whole, first, `${first}.local`]
  const addresses = Object.values(interfaces).flatMap((list) =>
    (list ?? []).map((one) => one.address),
  )
  return [
    ...new Set([...names, APPLIANCE_NAME, ...addresses.map((one) => one.split('%')[0] ?? one)]),
  ]
}
