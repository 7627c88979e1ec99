/** The part of the platform's rate that each of the two jobs takes which prove what is here: together a fifth, and the rest is for live traffic. */
export const SHARE = 0.1
