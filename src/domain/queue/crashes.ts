/** So often a delivery goes out with others, when the process died or stalled each time; the next time it runs isolated. */
export const ISOLATED_AT = 2

/** After so many it is held: isolated as it was the last time, it is the one. */
export const HELD_AT = ISOLATED_AT + 1
