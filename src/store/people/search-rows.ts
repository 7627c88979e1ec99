import { foldBytes, folded } from '../../domain/values/text.ts'
import type { Store } from '../store.ts'
import type { PersonalPage, PersonalRow, PlaceName, Scrubbed } from './places.ts'

export type Pages = Pick<Store, 'personalPage'>

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

export function sayingOne(texts: readonly string[]): (row: PersonalRow) => boolean {
  const wanted = texts.map((text) => Buffer.from(folded(text)))
  return ({ values }) =>
    values.some((value) => value !== null && countTexts(foldBytes(Buffer.from(value as string)), wanted) > 0)
}

/** Occurrences, but for digits within a longer number: "Storgata 12" does not say "Storgata 1". */
export function countTexts(bytes: Buffer, texts: readonly Buffer[], from = 0, to = bytes.length): number {
  let count = 0
  for (const text of texts)
    for (let at = bytes.indexOf(text, from); at >= 0 && at < to; at = bytes.indexOf(text, at + 1))
      if (standsAlone(bytes, at, text)) count += 1
  return count
}

function standsAlone(bytes: Buffer, at: number, text: Buffer): boolean {
  const end = at + text.length
  return !(isDigit(text[0]) && isDigit(bytes[at - 1])) && !(isDigit(text.at(-1)) && isDigit(bytes[end]))
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
