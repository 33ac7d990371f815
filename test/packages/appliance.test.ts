import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { inside, make, needing, unpackDebian } from './debian.ts'
import { derivePackage } from './derive.ts'

t.setTimeout(600_000)

const NEEDS = ['/usr/bin/mmdebstrap', '/usr/bin/dpkg-deb']
const ENABLED = 'find /etc/systemd/system -type l -name "platen-*" | wc -l'
// Its packages from Debian are not in the plain one, and no script of ours needs them there.
const INSTALL = 'dpkg --force-depends -i /root/platen-appliance_*.deb'

t.test('the package of the SD image', { ...needing(NEEDS), timeout: 600_000 }, async (t) => {
  const { folder, root } = await unpackDebian(t, 'amd64')
  const debs = join(folder, 'debs')
  await make('appliance.sh', [debs])
  for (const deb of readdirSync(debs)) {
    copyFileSync(join(debs, deb), join(root, 'root', deb))
    const later = { version: '99.0.0', unit: 'platen-later.service' }
    copyFileSync(derivePackage(join(debs, deb), later), join(root, 'root/later.deb'))
  }
  const run = (command: string) => inside(root, command)
  const there = (path: string): boolean => existsSync(join(root, path))

  await t.test('refuses a computer that is not the image, and leaves nothing there', async (t) => {
    const { code, text } = await run(INSTALL)
    t.not(code, 0)
    t.match(text, 'belongs on the SD image of platen and on nothing else')
    t.match(text, 'install platen and platen-node only')
    t.notOk(there('usr/lib/platen-appliance'))
    t.notOk(there('usr/lib/systemd/system/rescue.service.d'))
  })

  await t.test('starts its units with the image', async (t) => {
    appendFileSync(join(root, 'etc/fstab'), 'LABEL=platen-data /data ext4 rw 0 2\n')
    const { code, text } = await run(INSTALL)
    t.equal(code, 0, text)
    t.equal((await run(ENABLED)).text, '7\n')
  })

  await t.test('keeps what somebody switched off over an upgrade', async (t) => {
    await run('systemctl disable platen-names.service')
    const { code, text } = await run(INSTALL)
    t.equal(code, 0, text)
    t.equal((await run(ENABLED)).text, '6\n')
  })

  await t.test('enables what an upgrade brings along', async (t) => {
    const { code, text } = await run('dpkg --force-depends -i /root/later.deb')
    t.equal(code, 0, text)
    t.equal((await run(ENABLED)).text, '7\n')
  })

  await t.test('leaves what was imported when it is removed', async (t) => {
    for (const name of ['wifi', 'ssh', 'network', 'etc-platen']) {
      mkdirSync(join(root, 'data', name), { recursive: true })
      writeFileSync(join(root, 'data', name, 'file'), 'kept')
    }
    mkdirSync(join(root, 'etc/avahi/services'), { recursive: true })
    writeFileSync(join(root, 'etc/avahi/services/platen.service'), '<service-group/>')
    const { code, text } = await run('dpkg -r platen-appliance')
    t.equal(code, 0, text)
    t.equal((await run(ENABLED)).text, '0\n', 'no unit is left enabled')
    t.notOk(there('etc/avahi/services/platen.service'), 'nobody announces it any more')
    t.ok(there('data/wifi/file'))
  })

  await t.test('enables them again when it is installed again', async (t) => {
    const { code, text } = await run('dpkg --force-depends -i /root/later.deb')
    t.equal(code, 0, text)
    t.equal((await run(ENABLED)).text, '7\n', 'all but the one that was switched off')
  })

  await t.test(
    'takes its secrets along when it is purged, and leaves labels and settings',
    async (t) => {
      const { code, text } = await run('dpkg -P platen-appliance')
      t.equal(code, 0, text)
      t.same(readdirSync(join(root, 'data')), ['etc-platen'])
      t.notOk(there('usr/lib/platen-appliance'))
      t.notOk(there('var/lib/platen-enabled'))
      t.match((await run('dpkg -l platen-appliance')).text, /no packages found/)
    },
  )
})
