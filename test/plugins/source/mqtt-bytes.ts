/** A message as a broker sends it; `first` is its kind, 0x30 with twice the QoS. */
export function publish(
  payload: string | Uint8Array,
  properties: Uint8Array = Buffer.alloc(0),
  first = 0x30,
): Buffer {
  const topic = Buffer.of(0, 1, 0x74)
  const number = first === 0x30 ? Buffer.alloc(0) : Buffer.of(0, 7)
  const around = [topic, number, lengthOf(properties.length), properties]
  const body = Buffer.concat([...around, Buffer.from(payload)])
  return Buffer.concat([Buffer.of(first), lengthOf(body.length), body])
}

/** A number as MQTT writes it. */
function lengthOf(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0))
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  return Buffer.from(bytes)
}
