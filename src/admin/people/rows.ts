import { type Forgotten, sureTexts } from '../../domain/people/erasing/rewriting.ts'
import { partsOf } from '../../lib/parts.ts'
import type { PersonalChange, PersonalRow } from '../../store/people/personal-row.ts'
import { PLACE_NAMES, type PlaceName, placeOf } from '../../store/people/places.ts'
import type { Store } from '../../store/store.ts'
import { createKinds } from './kinds.ts'
import { textsInMirror } from './mirrored.ts'
import { rewriteRow } from './rewrite-row.ts'

/** A row of the person, and how it is to be. */
export interface OwnRow extends PersonalRow {
  place: PlaceName
  change: PersonalChange
}

/** Events whose rows are read at once. */
const PAGE = 200

/** Places that tell who somebody is come last: where it is cut off, the rest is still found by them. */
const TELLING: readonly PlaceName[] = ['payloads', 'customers']
const IN_ORDER = [...PLACE_NAMES.filter((place) => !TELLING.includes(place)), ...TELLING]

/** Short ids are looked for where only those of customers stand. */
const WITH_SHORT_IDS = new Set<PlaceName>(['links', 'acknowledged', 'customers'])

/**
 * All rows that speak of the person, page by page: those of their events, and in tables of other things whatever says a text of
 * theirs. `everywhere`: also in the tables of events, which takes as long as it takes to read them.
 */
export async function* ownRows(
  store: Pick<Store, 'personalPage' | 'events'>,
  who: Forgotten,
  kinds: ReadonlyMap<number, string>,
  everywhere = false,
): AsyncGenerator<OwnRow[]> {
  const kindsOf = createKinds(store, kinds)
  for (const place of IN_ORDER) {
    if (placeOf(place).ofEvents !== undefined && !everywhere) {
      for (const ofEvents of partsOf(kinds.keys(), PAGE)) {
        const { rows } = await store.personalPage({ place, ofEvents })
        yield await changed(place, rows)
      }
      continue
    }
    const saying = textsOf(place, who)
    for (let after: number | null = 0; after !== null && saying.length > 0; ) {
      const page = await store.personalPage({ place, saying, after })
      yield await changed(place, page.rows)
      after = page.next
    }
  }

  async function changed(place: PlaceName, rows: readonly PersonalRow[]): Promise<OwnRow[]> {
    const kindOf = await kindsOf(rows)
    return rows.flatMap((row) => {
      const of = { kind: kindOf.get(row.event) ?? '', isOwn: row.event !== null && kinds.has(row.event) }
      const to = rewriteRow(place, row, of, who)
      return to === undefined ? [] : [{ ...row, place, change: { place, row: row.row, from: row.values, to } }]
    })
  }
}

/** The texts that are looked for in a place where rows are found by what they say. */
function textsOf(place: PlaceName, who: Forgotten): string[] {
  const { customerIds, emails, phones } = who
  const sure = sureTexts(who)
  // A sale says whose it is beside the name, and of many people says no more.
  if (place === 'mirror') return [...sure, ...textsInMirror(who.alone)]
  return WITH_SHORT_IDS.has(place) ? [...new Set([...sure, ...customerIds, ...emails, ...phones])] : sure
}
