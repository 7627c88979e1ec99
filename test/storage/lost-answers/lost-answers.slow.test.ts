import { playOnBreakingWays } from './ways.ts'

/* A short form of `lost-answers.soak.ts`. */

playOnBreakingWays([1, 2], 25)
