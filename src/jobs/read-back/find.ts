import { articleKey } from '../../domain/catalogue/article-number.ts'
import { gtinsOf, type ReadProduct } from '../../domain/catalogue/master-data.ts'
import type { KeptRow, MirrorChange } from '../../domain/catalogue/mirror.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import { productIn } from '../products/read.ts'
import type { ProductName } from './check.ts'

interface Options {
  platform: { products: Pick<Platform['products'], 'byExtId'> }
  store: Pick<Store, 'links' | 'mirrorRows' | 'mirrorPage' | 'saveMirror'>
  clock: Pick<Clock, 'now'>
}

/** Found, or not there (null), or not asked for: there were too many. */
export type Found = ReadProduct | null | 'not-asked'

/** The most products that are asked for one by one in a run. */
const MOST_ASKED = 200

/**
 * Finds products in the mirror by what own systems call them. The platform's lists do not say that (public API), so it is
 * found out by their GTINs, or by asking for a product alone, and kept.
 */
export function createFinder({ platform, store, clock }: Options) {
  let asked = 0
  let named: MirrorChange[] = []

  return async (names: readonly ProductName[], signal: AbortSignal): Promise<Map<ProductName, Found>> => {
    const found = new Map<ProductName, Found>()
    await byProductId(names, found)
    for (const name of missing(names, found)) {
      if (name.extId === null) continue
      signal.throwIfAborted()
      const rows = await store.mirrorPage({ set: 'products', article: name.extId }, null, 10)
      // One that was deleted may have come back as another.
      const row = rows.find((one) => !productIn(one).isDeleted)
      if (row) found.set(name, productIn(row))
    }
    await byGtin(missing(names, found), found, signal)
    for (const name of missing(names, found)) found.set(name, await askedFor(name, signal))
    if (named.length > 0) await store.saveMirror(named, clock.now())
    named = []
    return found
  }

  /** As a price names it, or as an answer of the platform linked it. */
  async function byProductId(names: readonly ProductName[], found: Map<ProductName, Found>): Promise<void> {
    const extIds = [...new Set(names.flatMap(({ extId }) => extId ?? []))]
    const links = extIds.length === 0 ? [] : await store.links(PLATFORM, 'product', extIds)
    const linked = new Map(links.map(({ id, theirId }) => [id, theirId]))
    const idOf = ({ productId, extId }: ProductName) => productId ?? (extId === null ? undefined : linked.get(extId))
    const ids = [...new Set(names.flatMap((name) => idOf(name) ?? []))]
    const rows = ids.length === 0 ? [] : await store.mirrorRows('products', ids)
    const byId = new Map(rows.map((row) => [row.key, row]))
    for (const name of names) {
      const row = byId.get(idOf(name) ?? '')
      if (row && !productIn(row).isDeleted) found.set(name, known(row, name))
    }
  }

  /** Looks through all products, which is the only way to one of its sizes. */
  async function byGtin(names: readonly ProductName[], found: Map<ProductName, Found>, signal: AbortSignal) {
    const wanted = new Map<string, ProductName[]>()
    for (const name of names)
      for (const gtin of name.gtins.map(articleKey)) wanted.set(gtin, [...(wanted.get(gtin) ?? []), name])
    if (wanted.size === 0) return
    for await (const rows of mirrorPages(store, { set: 'products' }, signal))
      for (const row of rows) {
        const product = productIn(row)
        const hits = product.isDeleted
          ? []
          : product.sizes.flatMap(gtinsOf).flatMap((gtin) => wanted.get(articleKey(gtin)) ?? [])
        for (const name of hits) if (!found.has(name) && mayBe(name, product)) found.set(name, known(row, name))
      }
  }

  async function askedFor(name: ProductName, signal: AbortSignal): Promise<Found> {
    const { extId } = name
    // A price by GTIN alone: no product has it.
    if (extId === null) return null
    if (asked >= MOST_ASKED) return 'not-asked'
    asked += 1
    const product = await platform.products.byExtId(extId, signal)
    if (!product) return null
    const [row] = await store.mirrorRows('products', [product.productId])
    // Also a product that was deleted may answer to its name: what no list has is not there.
    return row ? known(row, name) : null
  }

  /** The product of a row, which keeps what own systems call it. */
  function known(row: KeptRow, { extId }: ProductName): ReadProduct {
    const product = productIn(row)
    if (extId === null || product.extId !== null) return product
    const { id: _, savedAt: __, ...kept } = row
    const body = { ...product, extId }
    named.push({ type: 'put', row: { ...kept, article: extId, body } })
    return body
  }
}

function missing(names: readonly ProductName[], found: ReadonlyMap<ProductName, Found>): ProductName[] {
  return names.filter((name) => !found.has(name))
}

/** A GTIN may stand at another product by mistake: then that is another one, whatever its sizes. */
function mayBe({ extId, number, variant }: ProductName, product: ReadProduct): boolean {
  if (extId !== null && product.extId !== null) return extId === product.extId
  const same = (said: string | null, read: string | null) => said === null || read === null || said === read
  return same(number, product.number) && same(variant, product.variant)
}
