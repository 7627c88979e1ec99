import { z } from 'zod'
import type { SubmittedDeletion } from '../../domain/submitted.ts'
import { check } from './faults.ts'
import { compact, Gtin, Name } from './fields.ts'
import { type Reading, type Resource, readingOf } from './resource.ts'

/** Public facts, DELETE /api/products: the platform keeps it as deleted. */
const Deletion = z.strictObject({
  extId: Name.describe('What the sender knows the variant by.'),
  gtin: Gtin.nullish().describe('Only this GTIN is deleted; the product and its sizes stay.'),
})

export const productDeletions: Resource = {
  scope: 'product-deletions',
  objects: [Deletion],
  line: Deletion,
  readObject: (value) => [readDeletion(value)],
  readLine: readDeletion,
}

function readDeletion(value: unknown): Reading {
  return readingOf(
    check(Deletion, value, () => false),
    ({ extId, gtin }) => ({
      kind: 'ProductDeletionSubmitted',
      payload: { extId, ...compact({ gtin }) } satisfies SubmittedDeletion,
    }),
  )
}
