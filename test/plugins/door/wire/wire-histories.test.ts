import { findClosedPort } from '../../../listen.ts'
import { testHistories } from '../../../simulator/history.ts'
import { PaperPrinter } from '../../../simulator/printer.ts'
import { ProgramWorld } from './world.ts'

testHistories(
  'raw ports, QZ Tray and Browser Print',
  'test/plugins/door/wire/wire-histories.test.ts',
  async (t) => {
    const benches = await PaperPrinter.openAll(t, 2)
    const ports = {
      raw: [await findClosedPort(), await findClosedPort()] as const,
      qz: await findClosedPort(),
      browserPrint: await findClosedPort(),
    }
    return (folder, seed) => new ProgramWorld(folder, benches, ports, seed).play(seed)
  },
)
