import type { SubmittedPrice, SubmittedProduct, SubmittedSize } from '../../domain/catalogue/submitted.ts'
import type { SubmitScope } from '../../domain/scope.ts'
import { rejectedText } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { LineFaults } from '../../storage/rows.ts'
import { LISTED, type ReadLines } from './body/read-body.ts'

type Sort =
  | `missing-${'name' | 'number' | 'color-code' | 'brand' | 'group' | 'season' | 'color' | 'sizes' | 'gtin' | 'sku'}`
  | `missing-${'size-label' | 'price'}`
  | 'group-without-subgroup'
  | `duplicate-${'ext-id' | 'gtin'}`
  | 'invalid-gtin'
  | 'new-price-list'
  | 'platform-not-asked'

interface Fault {
  sort: Sort
  text: string
}

type Warning = Fault & { line: number | null }

interface DryRun {
  see(read: ReadLines): void
  end(): Promise<object>
}

interface Options {
  platform: Platform | null
  wantsSubgroup: boolean
}

export function createDryRun(scope: SubmitScope, { platform, wantsSubgroup }: Options): DryRun {
  const found = createProductFaults(wantsSubgroup)
  const counts = { lines: 0, accepted: 0, refused: 0 }
  const faults: LineFaults[] = []
  const warnings: Warning[] = []
  const warningCounts: Partial<Record<Sort, number>> = {}

  function warn(line: number | null, { sort, text }: Fault): void {
    warningCounts[sort] = (warningCounts[sort] ?? 0) + 1
    if (warnings.length < LISTED) warnings.push({ line, sort, text })
  }

  async function ofThePlatform(): Promise<Fault[]> {
    if (scope !== 'products' && scope !== 'prices') return []
    if (!platform) return [notAsked('the hub has no platform.baseUrl')]
    try {
      const { rows, rejected } = await platform.prices.lists()
      const unreadable = rejectedText(rejected)
      return unreadable === null ? found.newLists(rows.map(({ name }) => name)) : [notAsked(unreadable)]
    } catch {
      return [notAsked('it did not answer')]
    }
  }

  return {
    see(read) {
      counts.lines += read.lines.length + read.refused
      counts.accepted += read.lines.length
      counts.refused += read.refused
      faults.push(...read.faults.slice(0, LISTED - faults.length))
      for (const { line, kind, payload } of read.lines)
        for (const warning of found.see(line, kind, payload)) warn(line, warning)
    },
    async end() {
      if (counts.accepted > 0) for (const warning of await ofThePlatform()) warn(null, warning)
      return { dryRun: true, ...counts, faults, warnings, warningCounts }
    },
  }
}

function notAsked(why: string): Fault {
  return { sort: 'platform-not-asked', text: `Price lists were not compared with the platform's: ${why}.` }
}

const MAX_KEYS = 1_000_000

export function createProductFaults(wantsSubgroup = false) {
  const [lineOfExtId, lineOfGtin, linesOfList] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ]

  function seeProduct(line: number, product: SubmittedProduct): Fault[] {
    const { extId, productPrices = [], productSizes = [] } = product
    const first = remember(lineOfExtId, extId, line)
    if (first !== null)
      return [fault('duplicate-ext-id', `extId ${extId} was in line ${first} already: the later one wins`)]
    for (const { pricelistName } of productPrices) countList(pricelistName)
    return [
      ...missing(product, wantsSubgroup),
      ...productSizes.flatMap((size, index) => missingOfSize(extId, size, index)),
      ...productSizes.flatMap(({ gtin }) => (gtin === undefined ? [] : gtinFaults(line, extId, gtin))),
    ]
  }

  function gtinFaults(line: number, extId: string, gtin: string): Fault[] {
    const first = remember(lineOfGtin, gtin, line)
    const again = first === null ? [] : [fault('duplicate-gtin', `${extId}: GTIN ${gtin} was in line ${first} already`)]
    return [...invalid(gtin), ...again]
  }

  function countList(list: string): void {
    linesOfList.set(list, (linesOfList.get(list) ?? 0) + 1)
  }

  function remember(lines: Map<string, number>, key: string, line: number): number | null {
    const first = lines.get(key) ?? null
    if (first === null && lines.size < MAX_KEYS) lines.set(key, line)
    return first
  }

  return {
    see(line: number, kind: string, payload: object): Fault[] {
      if (kind === 'ProductSubmitted') return seeProduct(line, payload as SubmittedProduct)
      const { list, gtin } = payload as Partial<SubmittedPrice>
      if (kind === 'PriceSubmitted' && list !== undefined) countList(list)
      return gtin === undefined ? [] : invalid(gtin)
    },
    newLists(lists: readonly string[]): Fault[] {
      return [...linesOfList]
        .filter(([list]) => !lists.includes(list))
        .map(([list, lines]) =>
          fault('new-price-list', `the platform has no price list ${list} yet (${lines} prices): it would be created`),
        )
    },
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

function missing(product: SubmittedProduct, wantsSubgroup: boolean): Fault[] {
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

function missingOfSize(extId: string, { gtin, externalSKU, label }: SubmittedSize, index: number): Fault[] {
  const size = `${extId}: size ${label ?? index + 1}`
  return [
    ...(gtin === undefined ? [fault('missing-gtin', `${size} has no gtin`)] : []),
    ...(externalSKU === undefined ? [fault('missing-sku', `${size} has no externalSKU`)] : []),
    ...(label === undefined ? [fault('missing-size-label', `${size} has no label`)] : []),
  ]
}

function invalid(gtin: string): Fault[] {
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

function fault(sort: Sort, text: string): Fault {
  return { sort, text }
}
