import { z } from 'zod'
import { MEANINGS, PROFILE_NAMES, PROFILES } from '../domain/ledger/till/meanings.ts'
import { duration } from './duration.ts'

const Meanings = z.strictObject({
  number: z
    .enum(MEANINGS.number)
    .optional()
    .describe(
      "The Z number: that of the fiscal report, where there is one (report), the settlement's BatchNumber (batch), or none.",
    ),
  counter: z
    .enum(MEANINGS.counter)
    .optional()
    .describe(
      'The counter that grows by what is sold: net (reportGrandTotalSalesNet), less-returns (sales less returns), sales, or none.',
    ),
  returns: z.enum(MEANINGS.returns).optional().describe('Returns are counted apart from receipts, or among them.'),
  receipts: z
    .enum(MEANINGS.receipts)
    .optional()
    .describe('Whether the first and the last number of receipts tell how many there are.'),
  payments: z
    .enum(MEANINGS.payments)
    .optional()
    .describe('Sums of payments are compared for each way to pay, as one total, or not.'),
  rates: z
    .enum(MEANINGS.rates)
    .optional()
    .describe('Sales at a VAT rate are written with-vat, before-vat, either of them, or are not compared (none).'),
})

const Tills = z
  .strictObject({
    profile: z.enum(PROFILE_NAMES).default('no').describe('The country whose law says what tills count; plain: none.'),
    meanings: Meanings.prefault({}).describe('What fields mean, where the profile does not fit.'),
    learning: z
      .int()
      .min(0)
      .max(1_000)
      .default(10)
      .describe('So many reports of a till have to balance before a difference counts as a loss.'),
    patience: duration('0s', '7d')
      .prefault('30m')
      .describe('How long after a till was closed the last of its receipts may come.'),
  })
  .transform(({ meanings, profile, ...rules }) => ({
    ...rules,
    meanings: { ...PROFILES[profile], ...given(meanings) },
  }))

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
  twins: z
    .boolean()
    .default(true)
    .describe('Whether tables are searched for what stands in them more than once. It reads every row of these days.'),
})

/** How it is proven that nothing is missing. */
export const Completeness = z.strictObject({
  tills: Tills.prefault({}).describe("The tills' own counters."),
  destinations: Destinations.prefault({}).describe('What destinations have of what they were given.'),
})

/** What is written; the rest is the profile's. */
function given<Given extends object>(meanings: Given): { [Key in keyof Given]: NonNullable<Given[Key]> } {
  const written = Object.entries(meanings).filter(([, meaning]) => meaning !== undefined)
  return Object.fromEntries(written) as { [Key in keyof Given]: NonNullable<Given[Key]> }
}
