import { isDeepStrictEqual } from 'node:util'
import { type ReadPrice, type ReadProduct, textDigest, type UnknownField } from '../../domain/catalogue/master-data.ts'
import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import { numberKey } from '../../domain/stores/store-index.ts'
import { field, idText, list } from '../../domain/values/field.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { PlatformStore } from '../../platform/platform.ts'
import type { Product } from '../../platform/resources/products.ts'
import type { StoredStore } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'

export function readProduct(product: Product): ReadProduct {
  const sizes = product.sizes.map(({ gtin, otherGtins, externalSKU: sku, label }) => ({
    gtin,
    ...(otherGtins.length > 0 && { otherGtins: [...otherGtins].sort() }),
    sku,
    label,
  }))
  const unknown = unknownOf(product)
  return {
    productId: product.productId,
    extId: product.extId,
    name: product.name,
    number: product.number,
    variant: product.variant,
    group: product.groupName,
    subgroup: product.subgroupName,
    brand: product.brand,
    season: product.season,
    color: product.color,
    descriptionDigest: textDigest(product.description),
    price: product.price,
    isWebAvailable: product.isWebAvailable,
    sizes: sorted(sizes),
    prices: pricesOf(product),
    isDiscontinued: product.isDiscontinued === true,
    isDeleted: false,
    ...(unknown.length > 0 && { unknown }),
  }
}

const TOLD: readonly (readonly [UnknownField, string])[] = [
  ['name', 'name'],
  ['number', 'number'],
  ['variant', 'variant'],
  ['group', 'groupName'],
  ['subgroup', 'subgroupName'],
  ['brand', 'brand'],
  ['season', 'season'],
  ['color', 'color'],
  ['description', 'description'],
  ['price', 'price'],
  ['isWebAvailable', 'isWebAvailable'],
]
const TOLD_OF_SIZE: readonly (readonly [UnknownField, string])[] = [
  ['sku', 'externalSKU'],
  ['label', 'label'],
]

/** An absent field is not an empty one. */
function unknownOf({ record }: Product): UnknownField[] {
  const sizes = list(record, 'productSizes')
  const lacks = (of: unknown, wireName: string) => field(of, wireName) === undefined
  return [
    ...TOLD.filter(([, wireName]) => lacks(record, wireName)),
    ...TOLD_OF_SIZE.filter(([, wireName]) => sizes.length > 0 && sizes.every((size) => lacks(size, wireName))),
  ].map(([name]) => name)
}

function pricesOf({ sizes }: Product): ReadPrice[] {
  const priced = sizes.map(({ gtin, prices }) => ({ gtin, prices: sorted(prices ?? []) }))
  const [first] = priced
  if (first && priced.every(({ prices }) => isDeepStrictEqual(prices, first.prices)))
    return first.prices.map((price) => ({ ...price, gtin: null }))
  return sorted(priced.flatMap(({ gtin, prices }) => prices.map((price) => ({ ...price, gtin }))))
}

function sorted<T>(things: readonly T[]): T[] {
  const named = things.map((thing) => ({ thing, name: JSON.stringify(thing) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ thing }) => thing)
}

export function productIn({ body }: Pick<MirrorRow, 'body'>): ReadProduct {
  return body as unknown as ReadProduct
}

/** The own id may be known by the mirror alone. */
export function isKnown(read: ReadProduct, kept: ReadProduct): boolean {
  return isDeepStrictEqual({ ...read, extId: read.extId ?? kept.extId }, kept)
}

export interface RetailList {
  storeId: string
  store: string | null
  name: string | null
  list: string | null
}

interface PriceListName {
  id: string
  name: string
}

export function retailLists(
  stores: readonly StoredStore[],
  config: Readonly<Record<string, string>>,
  own: ReadonlyMap<string, string>,
): RetailList[] {
  const byNumber = new Map(Object.entries(config).map(([key, list]) => [numberKey(key), list]))
  return stores
    .filter(({ goneAt }) => goneAt === null)
    .map(({ storeId, number, name, countryCode }) => {
      const ofNumber = number === null ? undefined : byNumber.get(numberKey(number))
      const ofCountry = countryCode === null ? undefined : config[countryCode]
      return { storeId, store: number, name, list: ofNumber ?? ofCountry ?? own.get(storeId) ?? null }
    })
}

/** From the platform's records of stores, as in its public API (`RetailPricelistID`). */
export function ownLists(records: readonly PlatformStore[], lists: readonly PriceListName[]): Map<string, string> {
  const listNames = new Map(lists.map(({ id, name }) => [id, name]))
  return new Map(
    records.flatMap(({ storeId, record }) => {
      const list = listNames.get(idText(record, 'RetailPricelistID') ?? '')
      return list === undefined ? [] : [[storeId, list] as const]
    }),
  )
}

/** Replaces those of before. */
export async function saveRetailLists(
  storage: Pick<Storage, 'mirrorPage' | 'saveMirror'>,
  lists: readonly RetailList[],
  now: Instant,
): Promise<void> {
  const kept = new Map((await readRetailLists(storage)).map((list) => [list.storeId, list]))
  const isKept = kept.size === lists.length && lists.every((list) => isDeepStrictEqual(list, kept.get(list.storeId)))
  if (isKept) return
  const rows = lists.map(
    (list): MirrorRow => ({
      set: 'retail-lists',
      key: list.storeId,
      place: null,
      article: null,
      day: '',
      part: ALL,
      version: 0,
      tie: 0,
      body: { ...list },
    }),
  )
  await storage.saveMirror([{ type: 'replace', set: 'retail-lists', part: ALL, rows }], now)
}

const ALL = 'all'

export async function readRetailLists(storage: Pick<Storage, 'mirrorPage'>): Promise<RetailList[]> {
  const rows = await storage.mirrorPage({ set: 'retail-lists', part: ALL }, null, 10_000)
  return rows.map(({ body }) => body as unknown as RetailList)
}
