import { testHistories } from '../../simulator/history.ts'
import { playDisk } from './dying-disk.ts'

testHistories('a spool on a disk that dies', 'test/core/spool/disk-histories.test.ts', () =>
  Promise.resolve(playDisk),
)
