import { Spool } from '../../../src/core/spool/spool.ts'

// Opens a spool, and keeps it open until it is killed.

new Spool({ folder: process.argv[2] ?? '', minFreeBytes: 0, ballastBytes: 0 })
setInterval(() => undefined, 60_000)
