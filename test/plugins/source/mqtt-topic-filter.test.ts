import t from 'tap'
import { covers, dropSharePrefix } from '../../../src/plugins/mqtt/settings.ts'

t.test('a subscription covers the topics that MQTT says', (t) => {
  // Most are the examples of MQTT 5.0, 4.7.1 and 4.7.2.
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['a/b', 'a/b', true],
    ['a/b', 'a/c', false],
    ['a/b', 'a/b/c', false],
    ['a/b', 'A/b', false],
    ['a', '/a', false],
    ['sport/tennis/player1/#', 'sport/tennis/player1', true],
    ['sport/tennis/player1/#', 'sport/tennis/player1/score/wimbledon', true],
    ['sport/tennis/player1/#', 'sport/tennis/player2', false],
    ['sport/#', 'sport', true],
    ['#', 'any/thing', true],
    ['sport/tennis/+', 'sport/tennis/player1', true],
    ['sport/tennis/+', 'sport/tennis/player1/ranking', false],
    ['sport/+', 'sport', false],
    ['sport/+', 'sport/', true],
    ['+/+', '/finance', true],
    ['/+', '/finance', true],
    ['+', '/finance', false],
    ['+/b/#', 'a/b', true],
    ['+/b/#', 'a', false],
    ['#', '$SYS/uptime', false],
    ['+/monitor/Clients', '$SYS/monitor/Clients', false],
    ['$SYS/#', '$SYS/monitor', true],
    ['$SYS/monitor/+', '$SYS/monitor/Clients', true],
    ['$share/packers/a/+', 'a/b', true],
    ['$share/packers/a/+', 'packers/a/b', false],
    ['$share/packers/#', '$SYS/uptime', false],
    ['$queue/a/b', 'a/b', true],
    ['$exclusive/a/b', 'a/b', true],
    ['$queue', '$queue', true],
  ]
  for (const [filter, topic, isCovered] of cases) {
    t.equal(covers(filter, topic), isCovered, `${filter} ${isCovered ? '' : 'not '}${topic}`)
  }
  t.equal(dropSharePrefix('$share/packers/a/#'), 'a/#')
  t.equal(dropSharePrefix('a/$share/b'), 'a/$share/b')
  t.end()
})
