/**
 * What ends the program in good order. On Windows a closed console window and Ctrl+Break come as signals of their own;
 * elsewhere SIGHUP keeps its meaning, which `nohup` relies on.
 */
export function listStopSignals(platform: NodeJS.Platform): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']
}

/** Exit codes by failure code; the numbers are those of sysexits.h. Any other failure ends with 1. */
export const EXIT_CODES: Readonly<Record<string, number>> = {
  CONFIG_BROKEN: 78, // EX_CONFIG; systemd must not try again
  STATE_UNWRITABLE: 73, // EX_CANTCREAT
  PORT_TAKEN: 75, // EX_TEMPFAIL: the port may become free
}

/** Exit code of a wrong command line, EX_USAGE of sysexits.h. */
export const EXIT_USAGE = 64

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
