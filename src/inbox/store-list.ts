import { numberKey, type StoreIndex, type StorePlace } from '../domain/places/store-index.ts'

/** The stores of one destination (`stores:` in config), read. */
export interface StoreList {
  /** As they are compared. */
  numbers: ReadonlySet<string>
  /** ISO 3166, in capitals. */
  countries: ReadonlySet<string>
}

/** Two letters are a country, everything else is a store's number. */
export function readStoreList(entries: readonly string[]): StoreList {
  const trimmed = entries.map((entry) => entry.trim())
  return {
    numbers: new Set(trimmed.filter((entry) => !isCountry(entry)).map(numberKey)),
    countries: new Set(trimmed.filter(isCountry).map((entry) => entry.toUpperCase())),
  }
}

/** Whether what happened there is for this list. */
export function holds(
  { numbers, countries }: StoreList,
  { number, countryCode }: Pick<StorePlace, 'number' | 'countryCode'>,
): boolean {
  return (number !== null && numbers.has(numberKey(number))) || (countryCode !== null && countries.has(countryCode))
}

/** Why two lists can both hold one store. */
interface Meeting {
  /** In words. */
  why: string
  /** False: they may meet; nobody knows where a store is. */
  certain: boolean
}

/**
 * Why two lists can both hold one store; null: they cannot. A number meets a country where its store is in it, or nobody knows in
 * which it is.
 */
export function meeting(a: StoreList, b: StoreList, storeIndex: StoreIndex): Meeting | null {
  const shared = [...inBoth(a.numbers, b.numbers), ...inBoth(a.countries, b.countries)]
  if (shared.length > 0)
    return { why: `${shared.join(', ')} ${shared.length > 1 ? 'are' : 'is'} in both`, certain: true }
  const across = [...acrossFrom(a, b, storeIndex), ...acrossFrom(b, a, storeIndex)]
  return across.find(({ certain }) => certain) ?? across[0] ?? null
}

function acrossFrom({ numbers }: StoreList, { countries }: StoreList, storeIndex: StoreIndex): Meeting[] {
  if (countries.size === 0) return []
  const named = [...countries].join(' or ')
  return [...numbers].flatMap((number): Meeting[] => {
    const country = storeIndex.countryOf(number)
    if (country === null)
      return [{ why: `store ${number} may be in ${named}: its country is not known`, certain: false }]
    return countries.has(country) ? [{ why: `store ${number} is in ${country}`, certain: true }] : []
  })
}

function isCountry(entry: string): boolean {
  return /^[a-z]{2}$/i.test(entry)
}

function inBoth(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((entry) => b.has(entry))
}
