import { randomInt } from 'node:crypto'
import { tellTwins } from './tell.ts'

/** Some that are the same in each run, and some that nobody has seen. */
const SEEDS = [...Array.from({ length: 8 }, (_, n) => n + 1), ...Array.from({ length: 12 }, () => randomInt(1e9))]

for (const hubs of [1, 3]) tellTwins(SEEDS, 150, hubs)
