import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listAnnounced, readAnnounced, readBoxHealth } from '../../src/system/box.ts'

t.test('a Raspberry Pi tells its heat, its supply, its memory and its card', (t) => {
  const root = t.testdir({
    proc: {
      meminfo:
        'MemTotal:         477184 kB\nMemFree:           10 kB\nMemAvailable:     391168 kB\n',
    },
    sys: {
      class: {
        thermal: {
          thermal_zone0: { type: 'gpu-thermal\n', temp: '99000\n' },
          thermal_zone1: { type: 'cpu-thermal\n', temp: '48312\n' },
          cooling_device0: { type: 'x\n' },
        },
        hwmon: {
          hwmon0: { name: 'cpu_thermal\n' },
          hwmon1: { name: 'rpi_volt\n', in0_lcrit_alarm: '1\n' },
        },
      },
      fs: { ext4: { mmcblk0p4: { errors_count: '3\n' }, features: {} } },
    },
  })
  t.same(readBoxHealth(root), {
    temperature: 48.312,
    isUndervolted: true,
    memoryAvailable: 391_168 * 1024,
    memoryTotal: 477_184 * 1024,
    fileSystemErrors: { mmcblk0p4: 3 },
  })
  t.end()
})

t.test('what the system does not tell is left out, never guessed', (t) => {
  const root = t.testdir({
    sys: {
      class: {
        thermal: {
          thermal_zone0: { temp: 'broken' },
          thermal_zone1: { type: 'acpitz', temp: '30000' },
        },
        hwmon: { hwmon0: { name: 'rpi_volt' } },
      },
    },
  })
  const nothing = { isUndervolted: undefined, memoryAvailable: undefined, memoryTotal: undefined }
  t.same(readBoxHealth(root), { temperature: 30, ...nothing, fileSystemErrors: {} })
  t.same(readBoxHealth(t.testdir()), { temperature: undefined, ...nothing, fileSystemErrors: {} })
  t.end()
})

t.test('names are those that avahi holds', (t) => {
  const folder = t.testdir({ host: 'printserver-1a2b-2.local\n', alias: '' })
  t.equal(readAnnounced('host', folder), 'printserver-1a2b-2.local')
  t.same(listAnnounced(folder), ['printserver-1a2b-2.local'])
  t.equal(readAnnounced('alias', folder), undefined)
  mkdirSync(join(folder, 'none'))
  t.equal(readAnnounced('host', join(folder, 'none')), undefined)
  writeFileSync(join(folder, 'alias'), 'printserver.local')
  t.equal(readAnnounced('alias', folder), 'printserver.local')
  t.end()
})
