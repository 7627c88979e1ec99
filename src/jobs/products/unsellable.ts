import { isSellable, type ReadProduct } from '../../domain/catalogue/master-data.ts'
import type { MirrorChange } from '../../domain/catalogue/mirror.ts'
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
  store: Pick<Store, 'mirrorRows' | 'saveMirror'>,
  lists: ReadonlySet<string>,
): Unsellable {
  const found = new Map<string, number>()
  return {
    found,
    async note(products, now) {
      const changes: MirrorChange[] = []
      for (const list of lists) {
        const keys = products.map(({ productId }) => `${list}/${productId}`)
        const known = new Set((await store.mirrorRows('unsellable', keys)).map(({ key }) => key))
        for (const product of products) {
          const key = `${list}/${product.productId}`
          const cannot = isSellable(product, list) === false
          if (cannot === known.has(key)) continue
          changes.push({
            type: 'replace',
            set: 'unsellable',
            part: key,
            rows: cannot ? [rowOf(key, list, product)] : [],
          })
          if (cannot) found.set(list, (found.get(list) ?? 0) + 1)
        }

        function rowOf(key: string, place: string, { productId }: ReadProduct) {
          const day = new Date(now).toISOString().slice(0, 10)
          const about = { place, article: productId, day, part: key }
          return { set: 'unsellable' as const, key, ...about, version: 0, tie: 0, body: { productId, since: now } }
        }
      }
      if (changes.length > 0) await store.saveMirror(changes, now)
    },
  }
}
