import { z } from 'zod'
import { MEANINGS } from '../domain/ledger/till/report.ts'
import { duration } from './duration.ts'

const Tills = z
  .strictObject({
    number: z
      .enum(MEANINGS.number)
      .default('report')
      .describe(
        "The Z number: that of the fiscal report, where there is one (report), the settlement's BatchNumber (batch), or none.",
      ),
    returns: z
      .enum(MEANINGS.returns)
      .default('apart')
      .describe('Returns are counted apart from receipts, or among them.'),
    receipts: z
      .enum(MEANINGS.receipts)
      .default('consecutive')
      .describe('Whether the first and the last number of receipts tell how many there are.'),
    patience: duration('0s', '7d')
      .prefault('30m')
      .describe('How long after a till was closed the last of its receipts may come.'),
  })
  .transform(({ patience, ...meanings }) => ({ meanings, patience }))

const Destinations = z.strictObject({
  days: z
    .int()
    .min(1)
    .max(30)
    .default(7)
    .describe('So many days of what a destination was given are asked for each time.'),
  patience: duration('0s', '7d')
    .prefault('1h')
    .describe('How long after a destination has acknowledged something it is asked for it.'),
  leave: z.array(z.string()).default([]).describe('Destinations that are not asked.'),
})

/** How it is proven that nothing is missing. */
export const Completeness = z.strictObject({
  tills: Tills.prefault({}).describe('What tills count themselves.'),
  destinations: Destinations.prefault({}).describe('What destinations have of what they were given.'),
})
