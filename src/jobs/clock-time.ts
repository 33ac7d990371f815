/** `2026-11-21` in the time zone of the box. */
export function dayText(when: Date): string {
  return [when.getFullYear(), two(when.getMonth() + 1), two(when.getDate())].join('-')
}

/** `14:02` in the time zone of the box. */
export function clockText(when: Date): string {
  return `${two(when.getHours())}:${two(when.getMinutes())}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
