import { needlesOf } from '../../domain/people/erasing/needles.ts'
import { isOfAnother } from '../../domain/people/erasing/person.ts'
import { type PersonNode, personNodesOf } from '../../domain/people/erasing/person-nodes.ts'
import { type Forgotten, sureTexts } from '../../domain/people/erasing/rewriting.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { PersonalRow, PlaceValue } from '../../store/people/personal-row.ts'
import { placeOf } from '../../store/people/places.ts'
import type { Store } from '../../store/store.ts'
import { nodeOf } from './look.ts'

/** Texts of a person that others say of themselves, too: a name of two, the address of a family. */
export interface TheirsToo {
  texts: ReadonlySet<string>
  /** The events that say so. */
  events: number[]
}

/** Where others stand who can be told: by an id, an address or a number of their own. */
const PLACES = ['payloads', 'customers'] as const

/** The texts of a person that are others' as well, by all rows that are not known to be the person's (`events`). */
export async function theirsToo(
  store: Pick<Store, 'personalPage'>,
  who: Forgotten,
  events: ReadonlySet<number>,
): Promise<TheirsToo> {
  const saying = sureTexts(who)
  const wanted = new Set(saying)
  const texts = new Set<string>()
  const speak = new Set<number>()
  for (const place of PLACES)
    for (let after: number | null = 0; after !== null && saying.length > 0; ) {
      const page = await store.personalPage({ place, saying, after })
      for (const row of page.rows) {
        if (row.event !== null && events.has(row.event)) continue
        const own = nodesOf(place, row).filter((node) => isOfAnother(node, who))
        const shared = own.flatMap(({ values }) => needlesOf(values)).filter(({ text }) => wanted.has(text))
        for (const { text } of shared) texts.add(text)
        if (shared.length > 0 && row.event !== null) speak.add(row.event)
      }
      after = page.next
    }
  return { texts, events: [...speak] }
}

/** The person by what is of nobody else. */
export function withoutTheirs(who: Forgotten, { texts }: TheirsToo): Forgotten {
  return { ...who, needles: who.needles.map((one) => ({ ...one, isSure: one.isSure && !texts.has(one.text) })) }
}

function nodesOf(place: (typeof PLACES)[number], { values }: PersonalRow): PersonNode[] {
  const { columns } = placeOf(place)
  if (place === 'customers')
    return [nodeOf(Object.fromEntries(columns.map((name, index) => [fieldOf(name), textOf(values[index])])))]
  const body = values[columns.indexOf('body')] ?? null
  return personNodesOf('', payloadOrNull(typeof body === 'string' ? Buffer.from(body) : body))
}

function textOf(value: PlaceValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** A column of the directory, as the field of its record is called. */
function fieldOf(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
