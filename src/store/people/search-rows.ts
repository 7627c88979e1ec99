import { foldBytes, folded } from '../../domain/values/text.ts'
import type { Store } from '../store.ts'
import { countTexts } from './count-texts.ts'
import type { PersonalPage, PersonalRow, Scrubbed } from './personal-row.ts'
import type { PlaceName } from './places.ts'

export type Pages = Pick<Store, 'personalPage'>

/** `anyColumn`: not only the indexed one. */
export async function* pagesSaying(
  store: Pages,
  place: PlaceName,
  saying: readonly string[],
  anyColumn = false,
): AsyncGenerator<PersonalPage> {
  for (let after: number | null = 0; after !== null && saying.length > 0; ) {
    const page: PersonalPage = await store.personalPage({ place, saying, after, anyColumn })
    yield page
    after = page.next
  }
}

/** Counts rows with one of the texts, longer numbers excluded. */
export async function searchRows(
  store: Pages,
  places: readonly PlaceName[],
  texts: readonly string[],
): Promise<Scrubbed> {
  const scrubbed: Scrubbed = { searched: [], found: 0, doubts: [] }
  const saysOne = sayingOne(texts)
  for (const place of places) {
    let bytes = 0
    for await (const page of pagesSaying(store, place, texts, true)) {
      bytes += page.unpacked ?? 0
      scrubbed.found += page.rows.filter(saysOne).length
      for (const row of page.broken ?? []) scrubbed.doubts.push(`${row} It was not looked through.`)
    }
    if (place === 'payloads') scrubbed.searched.push({ what: 'packed payloads', bytes })
  }
  return scrubbed
}

/** Case-insensitive. */
export function sayingOne(texts: readonly string[]): (row: PersonalRow) => boolean {
  const wanted = texts.map((text) => Buffer.from(folded(text)))
  return ({ values }) =>
    values.some((value) => value !== null && countTexts(foldBytes(Buffer.from(value as string)), wanted) > 0)
}
