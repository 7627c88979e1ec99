import { z } from 'zod'
import type { SubmittedDeletion } from '../../../domain/catalogue/submitted.ts'
import { nothingPrivate } from '../fault.ts'
import { compact, Key } from '../fields.ts'
import { Gtin } from '../goods-fields.ts'
import { type Resource, resourceOf } from './resource.ts'

/** Public facts, DELETE /api/products: the platform keeps it as deleted. */
const Deletion = z
  .strictObject({
    extId: Key.describe('What the sender knows the variant by.'),
    gtin: Gtin.nullish().describe('Only this GTIN is deleted; the product and its sizes stay.'),
    gtins: z.literal('all').nullish().describe('all: every GTIN of it is deleted; the product and its sizes stay.'),
  })
  .refine(({ gtin, gtins }) => (gtin ?? null) === null || (gtins ?? null) === null, {
    path: ['gtins'],
    error: 'one of gtin and gtins',
  })

export const productDeletions: Resource = resourceOf(
  'product-deletions',
  Deletion,
  nothingPrivate,
  ({ extId, ...which }) => ({
    kind: 'ProductDeletionSubmitted',
    payload: { extId, ...compact(which) } satisfies SubmittedDeletion,
  }),
)
