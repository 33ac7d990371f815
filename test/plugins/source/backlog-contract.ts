/** What a killed server had in hand comes again after so long. */
export const HOLD_S = 6
