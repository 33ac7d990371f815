import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Ballast, defaultMinFree, defaultQuota, readDisk } from '../../../src/core/spool/room.ts'

t.test('the spool takes a part of its disk, and leaves another', (t) => {
  const folder = t.testdir()
  const { bytes, freeBytes } = readDisk(folder)
  t.ok(freeBytes <= bytes && freeBytes > 0)
  t.equal(defaultQuota(folder), Math.min(256 * 2 ** 20, Math.floor(bytes / 4)))
  t.equal(defaultMinFree(folder), Math.min(64 * 2 ** 20, Math.floor(bytes / 10)))
  t.end()
})

t.test('the ballast is real bytes, made where there is room and given up once', (t) => {
  const folder = t.testdir()
  const file = join(folder, '.ballast')
  const size = 100_000 // more than one piece, and no whole number of them
  const ballast = new Ballast(folder, size)
  t.equal(ballast.drop(), false, 'there is none')
  ballast.restore(size + 499, 500)
  t.notOk(existsSync(file), 'there is no room')
  ballast.restore(size + 500, 500)
  t.equal(statSync(file).size, size)
  t.ok(readFileSync(file).every((byte) => byte !== 0))
  writeFileSync(file, 'cut')
  ballast.restore(size * 2, 0)
  t.equal(statSync(file).size, size, 'one that is short is made again')
  const { ino, mtimeMs } = statSync(file)
  ballast.restore(size * 2, 0)
  t.match(statSync(file), { ino, mtimeMs }, 'one that is whole is left alone')
  t.equal(ballast.drop(), true)
  t.notOk(existsSync(file))
  new Ballast(folder, 0).restore(size, 0)
  t.notOk(existsSync(file), 'where none is wanted')
  t.end()
})
