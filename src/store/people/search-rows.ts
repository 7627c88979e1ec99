import { foldBytes, folded } from '../../domain/values/text.ts'
import type { Store } from '../store.ts'
import { countTexts } from './count-texts.ts'
import type { PersonalPage, PersonalRow, Scrubbed } from './personal-row.ts'
import type { PlaceName } from './places.ts'

export type Pages = Pick<Store, 'personalPage'>

/** The rows of a table that say one of these texts, page by page. `anyColumn`: also where an index has one column alone. */
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

/** How many rows of these tables say one of the texts, which is no part of a longer number there. */
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

/** Whether a row says one of the texts, in whatever letters, and not only as digits of a longer number. */
export function sayingOne(texts: readonly string[]): (row: PersonalRow) => boolean {
  const wanted = texts.map((text) => Buffer.from(folded(text)))
  return ({ values }) =>
    values.some((value) => value !== null && countTexts(foldBytes(Buffer.from(value as string)), wanted) > 0)
}
