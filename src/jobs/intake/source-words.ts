const NAMES: Readonly<Record<string, string>> = {
  qz: 'QZ Tray',
  'browser-print': 'Browser Print',
  sqs: 'Amazon SQS',
  beanstalkd: 'beanstalkd',
  mqtt: 'MQTT',
  heartbeat: 'the heartbeat',
  raw: 'the raw port',
}

/** What people call where a label came from, e.g. `Amazon SQS`; a type that is not known here keeps its own name. */
export function nameSource(type: string): string {
  return NAMES[type] ?? type
}
