/**
 * Gives what sets the time zone of all that this thread tells in local time, from now on; undefined brings back the zone that the
 * program was started in. Node.js looks at TZ anew whenever it is assigned, and brings the table of zones along.
 */
export function holdTimeZone(): (zone: string | undefined) => void {
  const own = process.env['TZ']
  return (zone = own) => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
}
