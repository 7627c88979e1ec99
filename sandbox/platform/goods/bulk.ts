import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Catalogue } from './catalogue.ts'
import type { Complaints } from './complaints.ts'
import { BatchedProduct, type Variant } from './product.ts'

/** The outcome of one bulk call: HTTP 200, even if nothing of it was done (facts, line of L376). */
interface BatchAnswer {
  created: number
  updated?: number
  unprocessedProducts: { isNew: boolean; product: object; errors: Complaints }[]
}

interface Work {
  complaints(body: BatchedProduct, current: Variant | null): Complaints
  save(body: BatchedProduct, current: Variant | null): Variant
}

/** Many products at once, each for itself: one that is refused does not keep the others. */
export function createBulk(catalogue: Catalogue, { complaints, save }: Work) {
  function run(body: unknown, replace: boolean): { created: number; updated: number } & BatchAnswer {
    if (!Array.isArray(body)) throw new Refusal(400, 'The body must be an array of products.')
    const answer: ReturnType<typeof run> = { created: 0, updated: 0, unprocessedProducts: [] }
    for (const item of body) {
      const read = BatchedProduct.safeParse(item)
      const current = catalogue.byExtId(String(item?.extId ?? ''))
      const errors = read.success ? {} : fieldsOf(read.error)
      if (read.success) {
        if (current && !replace) continue
        Object.assign(errors, complaints(read.data, current))
        if (Object.keys(errors).length === 0) {
          save(read.data, current)
          answer[current ? 'updated' : 'created'] += 1
          continue
        }
      }
      answer.unprocessedProducts.push({ isNew: current === null, product: productOf(item, current), errors })
    }
    return answer
  }

  return {
    /** One whose extId exists is passed over: neither counted nor changed nor complained of (spec, Products 3). */
    insert(body: unknown): BatchAnswer {
      const { created, unprocessedProducts } = run(body, false)
      return { created, unprocessedProducts }
    },

    /** One whose extId exists is changed (spec, Products 4). */
    upsert: (body: unknown): BatchAnswer => run(body, true),
  }
}

function fieldsOf(error: z.ZodError): Complaints {
  return Object.fromEntries(error.issues.map(({ path, message }) => [path.join('.') || 'product', message]))
}

const Named = z.record(z.string(), z.unknown()).catch({})

/** Enough to know it by. */
function productOf(item: unknown, current: Variant | null) {
  const { name, extId, number, variant, brand, color, season, sizeSystem } = Named.parse(item)
  const said = { name, extId, number, variant, brand, color, season, sizeSystem: sizeSystem ?? null }
  return { ...said, productId: current?.productid ?? 0, id: current?.id ?? null }
}
