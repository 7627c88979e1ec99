import type { StoreRecord } from '../places/store-index.ts'
import { counted } from '../values/text.ts'
import type { SubmittedPrice, SubmittedProduct, SubmittedSize } from './submitted.ts'

export type Sort =
  | 'missing-name'
  | 'missing-number'
  | 'missing-color-code'
  | 'missing-brand'
  | 'missing-group'
  | 'missing-season'
  | 'missing-color'
  | 'missing-sizes'
  | 'missing-gtin'
  | 'missing-sku'
  | 'missing-size-label'
  | 'missing-price'
  | 'group-without-subgroup'
  | 'duplicate-ext-id'
  | 'duplicate-gtin'
  | 'duplicate-size-label'
  | 'invalid-gtin'
  | 'new-price-list'
  | 'currency-without-list'
  | 'too-many-to-compare'
  | 'platform-not-asked'

interface ProductFault {
  sort: Sort
  text: string
}

interface PlatformPrices {
  stores: readonly (Pick<StoreRecord, 'currency' | 'countryCode'> & { record?: Readonly<Record<string, unknown>> })[]
  lists: readonly string[]
}

export interface ProductFaults {
  see(line: number, kind: string, payload: object): ProductFault[]
  against(platform: PlatformPrices): ProductFault[]
}

const MOST_KEYS = 1_000_000

/** Spec, "Basic master data" and "Price list and prices". `wantsSubgroup`: a group requires its subgroup. */
export function createProductFaults(wantsSubgroup = false): ProductFaults {
  const lineOfExtId = new Map<string, number>()
  const lineOfGtin = new Map<string, number>()
  const linesOfList = new Map<string, number>()
  let full = false

  function seeProduct(line: number, product: SubmittedProduct): ProductFault[] {
    const first = remember(lineOfExtId, product.extId, line)
    if (first !== null)
      return [fault('duplicate-ext-id', `extId ${product.extId} was in line ${first} already: the later one wins`)]
    for (const { pricelistName } of product.productPrices ?? []) countList(pricelistName)
    const sizes = product.productSizes ?? []
    return [
      ...missing(product, wantsSubgroup),
      ...sizes.flatMap((size, index) => missingOfSize(product.extId, size, index)),
      ...sizes.flatMap(({ gtin }) => (gtin === undefined ? [] : gtinFaults(line, product.extId, gtin))),
      ...twice(product.extId, sizes),
    ]
  }

  function gtinFaults(line: number, extId: string, gtin: string): ProductFault[] {
    const first = remember(lineOfGtin, gtin, line)
    const again = first === null ? [] : [fault('duplicate-gtin', `${extId}: GTIN ${gtin} was in line ${first} already`)]
    return [...invalid(gtin), ...again]
  }

  function seePrice({ list, gtin }: SubmittedPrice): ProductFault[] {
    countList(list)
    return gtin === undefined ? [] : invalid(gtin)
  }

  function countList(list: string): void {
    linesOfList.set(list, (linesOfList.get(list) ?? 0) + 1)
  }

  function remember(lines: Map<string, number>, key: string, line: number): number | null {
    const first = lines.get(key)
    if (first !== undefined) return first
    if (lineOfExtId.size + lineOfGtin.size < MOST_KEYS) lines.set(key, line)
    else full = true
    return null
  }

  return {
    see(line, kind, payload) {
      if (kind === 'ProductSubmitted') return seeProduct(line, payload as SubmittedProduct)
      if (kind === 'PriceSubmitted') return seePrice(payload as SubmittedPrice)
      const { gtin } = payload as { gtin?: string }
      return gtin === undefined ? [] : invalid(gtin)
    },
    against: (platform) => [
      ...(full ? [fault('too-many-to-compare', `only the first ${MOST_KEYS} ids were compared for copies`)] : []),
      ...newLists(linesOfList, platform.lists),
      ...currenciesWithoutList([...linesOfList.keys(), ...platform.lists], platform.stores),
    ],
  }
}

/** Spec, "Basic master data". A missing extId is refused elsewhere. */
const REQUIRED: readonly [keyof SubmittedProduct, Sort, string][] = [
  ['name', 'missing-name', 'no name'],
  ['number', 'missing-number', 'no number (of the style)'],
  ['variant', 'missing-color-code', 'no variant (color code)'],
  ['brand', 'missing-brand', 'no brand'],
  ['groupName', 'missing-group', 'no groupName'],
  ['season', 'missing-season', 'no season'],
  ['color', 'missing-color', 'no color'],
]

function missing(product: SubmittedProduct, wantsSubgroup: boolean): ProductFault[] {
  const { extId, price, productPrices, productSizes, groupName, subgroupName } = product
  const faults = REQUIRED.filter(([name]) => product[name] === undefined).map(([, sort, text]) =>
    fault(sort, `${extId} has ${text}`),
  )
  if (!productSizes?.length) faults.push(fault('missing-sizes', `${extId} has no productSizes`))
  if (price === undefined && !productPrices?.length)
    faults.push(fault('missing-price', `${extId} has no price: without one in its list no store can sell it`))
  if (wantsSubgroup && groupName !== undefined && subgroupName === undefined)
    faults.push(fault('group-without-subgroup', `${extId} has a groupName and no subgroupName`))
  return faults
}

function missingOfSize(extId: string, { gtin, externalSKU, label }: SubmittedSize, index: number): ProductFault[] {
  const size = `${extId}: size ${label ?? index + 1}`
  return [
    ...(gtin === undefined ? [fault('missing-gtin', `${size} has no gtin`)] : []),
    ...(externalSKU === undefined ? [fault('missing-sku', `${size} has no externalSKU`)] : []),
    ...(label === undefined ? [fault('missing-size-label', `${size} has no label`)] : []),
  ]
}

function twice(extId: string, sizes: readonly SubmittedSize[]): ProductFault[] {
  const labels = sizes.map(({ label }) => label?.toLowerCase()).filter((label) => label !== undefined)
  const seen = new Set<string>()
  const copies = new Set(labels.filter((label) => seen.size === seen.add(label).size))
  return [...copies].map((label) =>
    fault('duplicate-size-label', `${extId} has the size label ${label} more than once`),
  )
}

function invalid(gtin: string): ProductFault[] {
  if (!/^(\d{8}|\d{12,14})$/.test(gtin)) return [fault('invalid-gtin', `GTIN ${gtin} is not of 8, 12, 13 or 14 digits`)]
  const digits = [...gtin].map(Number)
  const sum = digits
    .slice(0, -1)
    .reverse()
    .reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 3 : 1), 0)
  const right = (10 - (sum % 10)) % 10
  if (digits.at(-1) === right) return []
  return [fault('invalid-gtin', `GTIN ${gtin} ends with a wrong check digit: ${right} would be right`)]
}

function newLists(linesOfList: ReadonlyMap<string, number>, lists: readonly string[]): ProductFault[] {
  const known = new Set(lists)
  return [...linesOfList]
    .filter(([list]) => !known.has(list))
    .map(([list, lines]) =>
      fault('new-price-list', `the platform has no price list ${list} yet (${lines} prices): it would be created`),
    )
}

/** Spec, Prices rules 1 and 3: stores of several currencies need lists. */
function currenciesWithoutList(lists: readonly string[], stores: PlatformPrices['stores']): ProductFault[] {
  const byCurrency = Map.groupBy(stores, ({ currency }) => currency)
  byCurrency.delete(null)
  if (byCurrency.size < 2) return []
  const words = new Set(lists.flatMap((list) => list.toUpperCase().split(/[^\p{L}\p{N}]+/u)))
  return [...byCurrency]
    .filter(([currency, its]) => {
      const named = [currency, ...its.map(({ countryCode }) => countryCode)].some((word) => word && words.has(word))
      return !named && !its.some(hasList)
    })
    .map(([currency, its]) => {
      const count = counted(its.length, 'store sells', 'stores sell')
      return fault('currency-without-list', `${count} in ${currency}, and no price list can be told to be for it`)
    })
}

function hasList({ record }: PlatformPrices['stores'][number]): boolean {
  const assigned = record?.RetailPricelistID ?? record?.PricelistID
  return assigned !== undefined && assigned !== null && assigned !== ''
}

function fault(sort: Sort, text: string): ProductFault {
  return { sort, text }
}
