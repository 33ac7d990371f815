/** Seconds after which messages in a killed server's hand come again. */
export const HOLD_S = 6
