import { wordAround } from '../../domain/people/erasing/alone.ts'
import { holdsMore, needlesOf, placesOf } from '../../domain/people/erasing/needles.ts'
import { type PersonNode, personNodesOf } from '../../domain/people/erasing/person-nodes.ts'
import { type Forgotten, placesAndNamesOf, sureTexts } from '../../domain/people/erasing/rewriting.ts'
import { smallOf } from '../../domain/people/erasing/spellings.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { PersonalRow } from '../../store/people/personal-row.ts'
import { PLACE_NAMES, type PlaceName, placeOf } from '../../store/people/places.ts'
import type { Store } from '../../store/store.ts'
import { booksOf } from './book-rows.ts'
import { createKinds } from './kinds.ts'
import { nodeOfRow } from './look.ts'

/** Texts of a person that others say of themselves, too, or that books say: a name of two, the address of a family, a brand. */
export interface TheirsToo {
  texts: ReadonlySet<string>
  /** Longer words that hold a text of the person, and are others': ida-zeb@example.com. */
  words: ReadonlySet<string>
  /** The events that say so. */
  events: number[]
}

/** The texts of a person that are others' as well, by all rows that say one: in an event of the person, too, somebody else may stand. */
export async function theirsToo(store: Pick<Store, 'personalPage' | 'events'>, who: Forgotten): Promise<TheirsToo> {
  const saying = sureTexts(who)
  const wanted = new Set(saying)
  const texts = new Set<string>()
  const words = new Set<string>()
  const speak = new Set<number>()
  const kindsOf = createKinds(store)
  for (const place of PLACE_NAMES)
    for (let after: number | null = 0; after !== null && saying.length > 0; ) {
      const page = await store.personalPage({ place, saying, after })
      const kindOf = await kindsOf(page.rows)
      for (const row of page.rows) {
        const theirs = nodesOf(place, row, kindOf.get(row.event) ?? '').filter(who.isOfAnother)
        const books = booksOf(place, row)
        const shared = [
          ...theirs.flatMap(({ values }) => needlesOf(values).map(({ text }) => text)),
          ...books.map(smallOf),
        ].filter((text) => wanted.has(text))
        for (const text of shared) texts.add(text)
        const longer = [...wordsIn(row, saying), ...longerTexts([...placesAndNamesOf(theirs), ...books], saying)]
        for (const word of longer) words.add(word)
        if (shared.length + longer.length > 0 && row.event !== null) speak.add(row.event)
      }
      after = page.next
    }
  return { texts, words, events: [...speak] }
}

/** The person by what is of nobody else. */
export function withoutTheirs(who: Forgotten, { texts }: TheirsToo): Forgotten {
  return { ...who, needles: who.needles.map((one) => ({ ...one, isSure: one.isSure && !texts.has(one.text) })) }
}

/** The words of a row that hold one of these texts, and more. */
function wordsIn({ values }: PersonalRow, texts: readonly string[]): string[] {
  return values.flatMap((value) => {
    const said = typeof value === 'string' ? value : Buffer.from(value ?? []).toString('utf8')
    return texts.flatMap((text) =>
      [...placesOf(said, text)].flatMap((at) => {
        const { from, to } = wordAround(said, at, false)
        return to - from > at.to - at.from ? [said.slice(from, to)] : []
      }),
    )
  })
}

/** Texts that hold one, as they are and as JSON has them: whoever is rewritten leaves them. */
function longerTexts(said: readonly string[], texts: readonly string[]): string[] {
  const wanted = texts.map((text) => ({ text }))
  const longer = said.filter((one) => holdsMore(one, wanted))
  return longer.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)])
}

/** Where others stand who can be told: by an id, an address or a number of their own. */
function nodesOf(place: PlaceName, { values }: PersonalRow, kind: string): PersonNode[] {
  const { columns } = placeOf(place)
  if (place === 'customers') return [nodeOfRow(values)]
  if (place !== 'payloads') return []
  const body = values[columns.indexOf('body')] ?? null
  return personNodesOf(kind, payloadOrNull(typeof body === 'string' ? Buffer.from(body) : body))
}
