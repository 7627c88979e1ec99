import { randomBytes } from 'node:crypto'
import { withoutNeedles } from '../../domain/people/erasing/needles.ts'
import { pseudonymOf } from '../../domain/people/erasing/pseudonym.ts'
import { type Forgotten, sureTexts } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Scrubbed } from '../../store/people/personal-row.ts'
import type { PlaceName } from '../../store/people/places.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { searchKeysOfPerson } from './asked.ts'
import { partHeld } from './held.ts'
import type { Known, Looked } from './look.ts'
import { type TheirsToo, theirsToo, withoutTheirs } from './others.ts'
import { ownRows } from './rows.ts'
import { forgetLearnt, learntOf, lookOn } from './unfinished.ts'

/** The outcome of an erasure: rows of a person that were written anew, and what was found afterwards. */
export interface Erased {
  pseudonym: string
  token: string
  /** Rows that were written anew or taken away, by table. */
  touched: Partial<Record<PlaceName, number>>
  events: number
  /** Events under a legal hold that say something of the person, and stay as they are. */
  held: number[]
  /** Null: a dry run. */
  scrubbed: Scrubbed | null
}

export interface Erasing {
  store: Looked &
    Pick<
      Store,
      'deliveries' | 'forgetEvents' | 'unindexEvents' | 'rewritePersonal' | 'scrub' | 'hashedKeys' | 'legalHolds'
    >
}

/** Rounds over rows that were written to meanwhile. */
const ROUNDS = 3

const OPEN = new Set(['waiting', 'claimed', 'held'])

/** The deliveries that are still owed for a person's events. */
export async function openDeliveries(store: Pick<Store, 'deliveries'>, { events }: Known): Promise<DeliveryRow[]> {
  const open: DeliveryRow[] = []
  for (const { id } of events)
    open.push(...(await store.deliveries({ event: id, limit: 500 })).filter(({ state }) => OPEN.has(state)))
  return open
}

/** The person, and what stands instead from now on. `token`: of an erasure that is repeated. */
export function forgottenOf({ person }: Pick<Known, 'person'>, token = randomBytes(4).toString('hex')): Forgotten {
  const { customerIds, emails, phones, needles, alone, isOfAnother, isLinked } = person
  return { customerIds, emails, phones, needles, alone, isOfAnother, isLinked, token }
}

/**
 * Takes a person out of every row, and looks for what is left. The events are found by the person until that has ended: one that was
 * cut off can be done again.
 */
export async function erasePerson({ store }: Erasing, known: Known, before: Forgotten): Promise<Erased> {
  let who = before
  const kinds = new Map(known.events.map(({ id, kind }) => [id, kind]))
  const beside = new Set(known.besideOthers)
  await store.forgetEvents([...kinds.keys()])
  const touched: Erased['touched'] = {}
  const held = new Set<number>()
  await rewriteAll(false)
  let scrubbed = await store.scrub(sureTexts(who))
  if (scrubbed.found > 0) {
    await takeMissed()
    await rewriteAll(true)
    const theirs = await theirsToo(store, who)
    scrubbed = await store.scrub(sureTexts(withoutTheirs(who, theirs)), undefined, [...theirs.words])
    if (theirs.texts.size + theirs.words.size > 0) scrubbed.doubts.push(doubtOf(theirs))
  }
  // Rows that stay are still found by the person.
  const rewritten = [...kinds.keys()].filter((id) => !held.has(id))
  await store.unindexEvents(
    rewritten.filter((id) => !beside.has(id)),
    searchKeysOfPerson(who),
  )
  await store.unindexEvents(
    rewritten.filter((id) => beside.has(id)),
    searchKeysOfPerson(who.alone),
  )
  // An event that was held may be let go: the same command ends it then.
  if (held.size === 0) scrubbed.found += await forgetLearnt(store, [who.token, ...known.begun])
  const pseudonym = pseudonymOf(who.token)
  return { pseudonym, token: who.token, touched, events: kinds.size, held: [...held].sort((a, b) => a - b), scrubbed }

  /** The person's events to which no key of the index led. */
  async function takeMissed(): Promise<void> {
    const more = await lookOn(store, known.asked, learntOf(known), true).catch(nobodyMore)
    const missed = more?.events.filter(({ id }) => !kinds.has(id)) ?? []
    if (more === null || missed.length === 0) return
    who = forgottenOf(more, who.token)
    for (const { id, kind } of missed) kinds.set(id, kind)
    for (const id of more.besideOthers) beside.add(id)
    await store.forgetEvents(missed.map(({ id }) => id))
    await rewriteAll(false)
  }

  async function rewriteAll(everywhere: boolean): Promise<void> {
    for (let round = 0, left = true; left && round < ROUNDS; round++) {
      left = false
      for await (const rows of ownRows(store, who, kinds, everywhere)) {
        if (rows.length === 0) continue
        const { free, events } = await partHeld(store, rows)
        for (const event of events) held.add(event)
        const count = await store.rewritePersonal(free.map(({ change }) => change))
        left ||= count < free.length
        for (const { place } of free) touched[place] = (touched[place] ?? 0) + 1
      }
    }
  }
}

/** What more is found may lead to too many to be one person: those events are not known to be theirs, then. */
function nobodyMore(error: unknown): null {
  if (error instanceof UserError) return null
  throw error
}

/** The doubt that texts of the person stay with others; it names nobody. */
function doubtOf({ events }: TheirsToo): string {
  const where =
    events.length === 0
      ? ''
      : ` (${events.length === 1 ? 'event' : 'events'} ${events.slice(0, 5).join(', ')}${events.length > 5 ? ' …' : ''})`
  return `A name, an address or a number of this person is that of others, too, or a part of theirs, who have ids or addresses of their own, or of an article, a store or a receipt${where}: there it stays, and where nobody can tell whose it is.`
}

/** The rows that an erasure would touch, by table. */
export async function countRows({ store }: Erasing, known: Known, who: Forgotten): Promise<Erased['touched']> {
  const touched: Erased['touched'] = {}
  const kinds = new Map(known.events.map(({ id, kind }) => [id, kind]))
  for await (const rows of ownRows(store, who, kinds)) {
    for (const { place } of rows) touched[place] = (touched[place] ?? 0) + 1
  }
  return touched
}

/** Deliveries that are still owed stand in the way, unless they are skipped. Throws a UserError. */
export function requireSettled(open: readonly DeliveryRow[], skipOpen: boolean): void {
  if (open.length > 0 && !skipOpen)
    throw new UserError(
      `${open.length} deliveries of this person are still owed (${open
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}): wait until they are made, skip them ("tillbridge deliveries skip <id>"), or say --skip-open.`,
    )
}

/** A reason without the person whom it is about. */
export function reasonWithout(reason: string, { needles, token }: Forgotten): string {
  return withoutNeedles(reason, needles, token, true)
}
