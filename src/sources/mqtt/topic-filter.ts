/** Subscriptions that several share, or that only one may have: $share is MQTT 5.0, 4.8.2; the others are EMQX's own. */
const MANNER = /^\$(?:share\/[^/]+|queue|exclusive)\/(?=.)/

/** The topics of a subscription, without its manner of sharing. */
export function dropManner(filter: string): string {
  return filter.replace(MANNER, '')
}

/** True when messages of this topic come by a subscription to this filter (MQTT 5.0, 4.7). */
export function covers(filter: string, topic: string): boolean {
  return fits(filter, topic) || fits(dropManner(filter), topic)
}

function fits(filter: string, topic: string): boolean {
  // The broker's own topics are not for those who ask for everything (4.7.2).
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false
  const wanted = filter.split('/')
  const levels = topic.split('/')
  const hasRest = wanted.at(-1) === '#'
  if (hasRest) wanted.pop() // it stands for the level before it too
  if (hasRest ? levels.length < wanted.length : levels.length !== wanted.length) return false
  return wanted.every((level, index) => level === '+' || level === levels[index])
}
