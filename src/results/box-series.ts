import { gauge, only, type Series } from './series.ts'

/** The computer's health; what the system does not tell is undefined. Bytes and degrees Celsius. */
export interface BoxFigures {
  readonly temperature: number | undefined
  readonly isUndervolted: boolean | undefined
  readonly memoryAvailable: number | undefined
  readonly memoryTotal: number | undefined
  /** By device. */
  readonly fileSystemErrors: Readonly<Record<string, number>>
}

/** The figures of the computer itself; one that it does not tell has no value. */
export function collectBox(box: BoxFigures | undefined): readonly Series[] {
  if (box === undefined) return []
  const undervoltage = box.isUndervolted === undefined ? undefined : Number(box.isUndervolted)
  return [
    gauge('platen_box_temperature_celsius', 'Temperature of the processor.', only(box.temperature)),
    gauge(
      'platen_box_undervoltage',
      '1 while the supply voltage is too low (Raspberry Pi).',
      only(undervoltage),
    ),
    gauge(
      'platen_box_memory_available_bytes',
      'Memory that programs can still get.',
      only(box.memoryAvailable),
    ),
    gauge('platen_box_memory_total_bytes', 'Memory of the computer.', only(box.memoryTotal)),
    gauge(
      'platen_box_file_system_errors',
      'Errors that ext4 met since the file system was made: a dying card counts up here.',
      Object.entries(box.fileSystemErrors).map(([device, value]) => ({
        labels: { device },
        value,
      })),
    ),
  ]
}
