import type { FindingChange } from '../../domain/catalogue/finding.ts'
import { unsellableKey } from '../../domain/catalogue/finding-place.ts'
import type { ReadProduct } from '../../domain/catalogue/master-data.ts'
import { isSellable } from '../../domain/catalogue/sellable.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'

/** A product that stores cannot sell, because it has no price in their recommended retail list (spec, Prices rule 4). */
export interface Unsellable {
  /** Notes products that were read, and keeps those that cannot be sold. */
  note(products: readonly ReadProduct[], now: Instant): Promise<void>
  /** How many more there are than before, by list. */
  found: Map<string, number>
}

/** `lists`: those that stores sell by. */
export function createUnsellable(
  store: Pick<Store, 'findingKeys' | 'saveFindings'>,
  lists: ReadonlySet<string>,
): Unsellable {
  const found = new Map<string, number>()
  return {
    found,
    async note(products, now) {
      const changes: FindingChange[] = []
      for (const list of lists) {
        const keys = products.map(({ productId }) => unsellableKey(list, productId))
        const known = await store.findingKeys('unsellable', keys)
        for (const product of products) {
          const { productId } = product
          const key = unsellableKey(list, productId)
          const cannot = isSellable(product, list) === false
          if (cannot === known.has(key)) continue
          if (!cannot) changes.push({ type: 'drop', sort: 'unsellable', key })
          else {
            changes.push({ type: 'keep', finding: { sort: 'unsellable', says: { list, productId, since: now } } })
            found.set(list, (found.get(list) ?? 0) + 1)
          }
        }
      }
      if (changes.length > 0) await store.saveFindings(changes)
    },
  }
}
