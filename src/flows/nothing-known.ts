import { parseDecimal } from '../domain/values/money.ts'
import type { Known } from './flow.ts'

/** Everything that a call may ask about the world, of which nothing was found out, by nobody; but for how stores are named. */
export const NOTHING_KNOWN: Omit<Known, 'storeOf'> = {
  told: parseDecimal(0),
  paid: false,
  prior: [],
  order: null,
  isSent: null,
  articleName: null,
  settlement: null,
  channels: {},
  accounts: null,
  released: null,
}
