/** Exit codes by failure code; the numbers are those of sysexits.h. Any other failure ends with 1. */
export const EXIT_CODES: Readonly<Record<string, number>> = {
  CONFIG_BROKEN: 78, // EX_CONFIG; systemd must not try again
  STATE_UNWRITABLE: 73, // EX_CANTCREAT
  PORT_TAKEN: 75, // EX_TEMPFAIL: the port may become free
}

/** Exit code of a wrong command line, EX_USAGE of sysexits.h. */
export const EXIT_USAGE = 64
