import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

// Interface names of containers, virtual machines, bridges and tunnels: other computers do not reach these.
const VIRTUAL = /^(?:docker|veth|br-|virbr|vmnet|vboxnet|tun|tap|utun|wg|tailscale|cni|lxc|podman)/
const WIRED = /^(?:en|eth|end)/

/**
 * The address at which other computers of the network most likely reach this one; `127.0.0.1` when there is none. `family`:
 * of the addresses that the server listens on.
 */
export function findInternalAddress({
  family = 'both',
  interfaces = networkInterfaces(),
}: {
  readonly family?: 'IPv4' | 'both'
  readonly interfaces?: Interfaces
} = {}): string {
  const candidates = Object.entries(interfaces).flatMap(([name, entries]) =>
    (entries ?? [])
      .filter((entry) => !entry.internal && !entry.address.startsWith('fe80:'))
      .filter((entry) => family === 'both' || entry.family === family)
      .map((entry) => ({ address: entry.address, rank: rankAddress(name, entry) })),
  )
  return candidates.sort((a, b) => a.rank - b.rank)[0]?.address ?? '127.0.0.1'
}

const MOST_TOLD = 12

/** The addresses that a server of this computer can listen on, for a sentence. */
export function describeOwnAddresses(interfaces: Interfaces = networkInterfaces()): string {
  const all = Object.values(interfaces)
    .flatMap((entries) => entries ?? [])
    .filter(({ address }) => !address.startsWith('fe80:'))
    .sort((a, b) => Number(a.internal) - Number(b.internal))
    .map(({ address }) => address)
  const told = [...new Set(all)].slice(0, MOST_TOLD)
  return told.length === 0 ? 'none' : told.join(', ')
}

/** Lower is better: real before virtual, IPv4 before IPv6, wired before wireless. */
function rankAddress(name: string, { family, address }: NetworkInterfaceInfo): number {
  const selfGiven = address.startsWith('169.254.') // RFC 3927: no DHCP server answered
  return (
    (VIRTUAL.test(name) ? 8 : 0) +
    (selfGiven ? 4 : 0) +
    (family === 'IPv4' ? 0 : 2) +
    (WIRED.test(name) ? 0 : 1)
  )
}
