import { asLearnt, BEGUN_MARK, type Learnt, readBegun, withoutSealed } from '../../domain/people/erasing/begun.ts'
import { meetsAny } from '../../domain/people/erasing/identities.ts'
import type { Identities } from '../../domain/people/erasing/person-nodes.ts'
import { tokenIn } from '../../domain/people/erasing/pseudonym.ts'
import type { PersonalRow } from '../../store/people/personal-row.ts'
import { placeOf } from '../../store/people/places.ts'
import type { EventRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { type Known, type Looked, lookForPerson } from './look.ts'

/** An erasure that was begun and has not ended, in its row of the audit. */
interface Unfinished {
  row: PersonalRow
  pseudonym: string
  key: string
  learnt: Learnt
}

const SELECTION = placeOf('audit').columns.indexOf('selection')

/**
 * Finds a person, by what an erasure of theirs had learnt as well that has not ended; `token`: its random word, where a proof says it;
 * `everywhere`: in all payloads, too. Throws a UserError as `lookForPerson` does.
 */
export async function lookAgain(
  store: Looked,
  asked: Identities,
  { token = null, everywhere = false }: { token?: string | null; everywhere?: boolean } = {},
): Promise<Known> {
  const all = await unfinished(store)
  const theirs = all.filter(
    ({ learnt, pseudonym }) =>
      tokenIn(pseudonym) === token || meetsAny(asked, learnt.alone) || isSame(asked, learnt.asked),
  )
  const learnt = theirs.at(-1)?.learnt
  if (learnt === undefined) return await lookForPerson(store, asked, { everywhere })
  const begun = theirs.map(({ pseudonym }) => tokenIn(pseudonym))
  return { ...(await lookOn(store, asked, learnt, everywhere)), begun }
}

/** Finds a person of whom that much is known by now. Throws a UserError as `lookForPerson` does. */
export async function lookOn(store: Looked, asked: Identities, learnt: Learnt, everywhere: boolean): Promise<Known> {
  const known = await lookForPerson(store, asked, { learnt, everywhere })
  const { events, besideOthers } = learnt
  const found = new Set(known.events.map(({ id }) => id))
  const more: EventRow[] = []
  for (const id of events) if (!found.has(id)) more.push(...(await store.events({ id })))
  return {
    ...known,
    person: asLearnt(known.person, learnt),
    events: [...known.events, ...more],
    besideOthers: [...new Set([...known.besideOthers, ...besideOthers])],
    isBack: known.events.some(({ id }) => !events.includes(id)),
  }
}

/** The knowledge of a person that is sealed. */
export function learntOf({ person, asked, shared, events, besideOthers }: Known): Learnt {
  const { customerIds, emails, phones, values, alone, needles } = person
  const unsure = needles.filter(({ isSure }) => !isSure).map(({ text }) => text)
  return {
    ...{ customerIds, emails, phones, asked, shared: [...shared], values, alone, unsure, besideOthers },
    events: events.map(({ id }) => id),
  }
}

/** Takes out of the audit what erasures had learnt, and its bytes out of the store; how many places still have a key of it. */
export async function forgetLearnt(
  store: Pick<Store, 'personalPage' | 'rewritePersonal' | 'scrub'>,
  tokens: readonly string[],
): Promise<number> {
  const those = (await unfinished(store)).filter(({ pseudonym }) => tokens.includes(tokenIn(pseudonym)))
  if (those.length === 0) return 0
  await store.rewritePersonal(
    those.map(({ row: { row, values } }) => ({
      place: 'audit',
      row,
      from: values,
      to: values.map((value, index) => (index === SELECTION ? withoutSealed(String(value)) : value)),
    })),
  )
  const keys = those.map(({ key }) => key)
  return (await store.scrub(keys, ['audit'])).found
}

async function unfinished(store: Pick<Store, 'personalPage'>): Promise<Unfinished[]> {
  const all: Unfinished[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.personalPage({ place: 'audit', saying: [BEGUN_MARK], after })
    for (const row of page.rows) {
      const begun = readBegun(String(row.values[SELECTION]))
      if (begun) all.push({ row, pseudonym: begun.person, key: begun.key, learnt: begun.learnt })
    }
    after = page.next
  }
  return all
}

function isSame(one: Identities, other: Identities): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
