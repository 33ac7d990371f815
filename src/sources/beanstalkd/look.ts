import { BeanstalkdClient, readStats } from './client.ts'
import type { BeanstalkdSettings, BeanstalkdTiming } from './settings.ts'
import { Tube } from './tube.ts'

/** For the page's button: what is at this address. @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED */
export async function look(
  { endpoint, tube: name }: BeanstalkdSettings,
  timing: BeanstalkdTiming,
  signal: AbortSignal,
): Promise<string> {
  const connection = { endpoint, bodyBytes: 65_536, ...timing }
  using client = await BeanstalkdClient.connect(connection, signal)
  const version = readStats((await client.command('stats')).body).get('version') ?? ''
  // Asked before the tube is watched, which would make it.
  const stats = await Tube.count(client, name)
  const reached = `Reached beanstalkd ${version} at ${endpoint}`
  if (stats === undefined) return `${reached}; its tube ${name} is empty.`
  const { waiting, buried } = stats
  const bad = buried === 0 ? '' : `, and ${buried} that were buried because they cannot be printed`
  return `${reached}; ${waiting} messages wait in its tube ${name}${bad}.`
}
