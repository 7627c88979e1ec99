import { z } from 'zod'
import type { SubmittedCorrection } from '../../../domain/catalogue/submitted.ts'
import { inPieces } from '../body/in-pieces.ts'
import { Decimal } from '../decimal-fields.ts'
import { nothingPrivate } from '../fault.ts'
import { check } from '../faults.ts'
import { compact, Key, Text } from '../fields.ts'
import { Gtin } from '../goods-fields.ts'
import { writtenByAnother } from '../which-stock.ts'
import { placeOf, whichStore } from '../which-store.ts'
import type { Reading, ReadingContext, Resource } from './resource.ts'

/** Public facts, "Delta correction". */
const Correction = z.strictObject({
  extRef: Key.describe('What the sender knows the correction by: the same extRef is the same correction.'),
  ...whichStore,
  comment: Text.nullish().describe('Why: broken, stolen, found.'),
  orderLines: z
    .array(
      z.strictObject({
        gtin: Gtin,
        qty: Decimal.refine((qty) => Number(qty) !== 0, { error: 'a difference: not 0' }).describe(
          'A difference, not a level: so many more, or (below 0) fewer.',
        ),
      }),
    )
    .min(1)
    .describe('What there is more, or fewer, than the platform thinks.'),
})

export const stockCorrections: Resource = {
  scope: 'stock-corrections',
  objects: [Correction],
  line: Correction,
  readObject: (value, context) => [readCorrection(value, context)],
  readLine: readCorrection,
}

function readCorrection(value: unknown, context: ReadingContext): Reading {
  const checked = check(Correction, value, nothingPrivate)
  const place = placeOf(Correction, value, context)
  const writer = 'value' in place ? writtenByAnother(place.value.stockId, ['stockId'], context) : []
  const faults = [checked, place].flatMap((one) => ('faults' in one ? one.faults : []))
  if ('faults' in checked || 'faults' in place || writer.length > 0) return { faults: [...faults, ...writer] }
  const { extRef, comment, orderLines } = checked.value
  const broken = orderLines.flatMap(({ qty }, index) => inPieces(context, qty, ['orderLines', index, 'qty']))
  if (broken.length > 0) return { faults: broken }
  const payload = { extRef, ...place.value, ...compact({ comment }), lines: orderLines } satisfies SubmittedCorrection
  return { kind: 'CorrectionSubmitted', payload }
}
