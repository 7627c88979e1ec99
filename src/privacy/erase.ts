import { randomBytes } from 'node:crypto'
import { PLACES_TO_LOOK } from '../domain/privacy/personal-fields.ts'
import { keyTextsOf } from '../domain/privacy/resolution.ts'
import { type Erasing, mentionsOf, pseudonymOf } from '../domain/privacy/rewriting.ts'
import { UserError } from '../domain/values/errors.ts'
import type { PlaceName, Scrubbed } from '../storage/personal-places.ts'
import type { DeliveryRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { heldEvents } from '../storage/walk-pages.ts'
import { searchKeysOfPerson } from './identifiers.ts'
import { forgetLearnt, type Known, type Looked, learntOf, lookOn } from './look.ts'
import { leftRows, type OwnRow, ownRows, type PlaceToLook } from './rows.ts'

export interface Erased {
  pseudonym: string
  touched: Partial<Record<PlaceName, number>>
  events: number
  /** Events under a legal hold, left as they are. */
  held: number[]
  scrubbed: Scrubbed
}

type ErasedFrom = Looked &
  Pick<
    Storage,
    | 'deliveries'
    | 'forgetEvents'
    | 'unindexEvents'
    | 'rewritePersonal'
    | 'searchRest'
    | 'scrub'
    | 'scrubSecrets'
    | 'legalHolds'
  >

/** For rows written meanwhile. */
const ROUNDS = 3

const OPEN = new Set(['waiting', 'claimed', 'held'])

export async function openDeliveries(storage: Pick<Storage, 'deliveries'>, { events }: Known): Promise<DeliveryRow[]> {
  const open: DeliveryRow[] = []
  for (const { id } of events)
    open.push(...(await storage.deliveries({ event: id, limit: 500 })).filter(({ state }) => OPEN.has(state)))
  return open
}

export function erasingOf({ person }: Pick<Known, 'person'>, token = randomBytes(4).toString('hex')): Erasing {
  const { customerIds, extIds, emails, phones, alone, isOfAnother, isLinked, values } = person
  const its = { customerIds, extIds, emails, phones, alone, isOfAnother, isLinked }
  return { ...its, keys: keyTextsOf(person), mentions: mentionsOf(values), token }
}

/** Erases a person from every row, and searches what is left. The index finds the events until the end, so that an interrupted erasure can be repeated. */
export async function erasePerson(storage: ErasedFrom, known: Known, before: Erasing): Promise<Erased> {
  let who = before
  const kinds = new Map(known.events.map(({ id, kind }) => [id, kind]))
  const beside = new Set(known.besideOthers)
  await storage.forgetEvents([...kinds.keys()])
  const touched: Erased['touched'] = {}
  const held = new Set<number>()
  await rewriteAll(false)
  const scrubbed = await lookForRest()
  scrubbed.warnings.push(PLACES_TO_LOOK)
  // Held events stay findable.
  const rewritten = [...kinds.keys()].filter((id) => !held.has(id))
  await storage.unindexEvents(
    rewritten.filter((id) => !beside.has(id)),
    searchKeysOfPerson(who),
  )
  await storage.unindexEvents(
    rewritten.filter((id) => beside.has(id)),
    searchKeysOfPerson(who.alone),
  )
  // Once a hold is released, the same command completes it.
  if (held.size === 0) scrubbed.found += await forgetLearnt(storage, [who.token, ...known.begun])
  const pseudonym = pseudonymOf(who.token)
  return { pseudonym, touched, events: kinds.size, held: [...held].sort((a, b) => a - b), scrubbed }

  /** The second pass; rows that stay on purpose are named. */
  async function lookForRest(): Promise<Scrubbed> {
    const first = await storage.searchRest(who.keys)
    if (first.found === 0) return first
    await takeMissed()
    await rewriteAll(true)
    const { staying, missed } = await leftRows(storage, who)
    const last = await storage.scrub(who.keys)
    if (staying.length > 0) last.warnings.push(placesText(staying))
    const open = missed.filter(({ event }) => event === null || !held.has(event))
    const isExplained = staying.length + missed.length > 0
    return { ...last, found: last.found > 0 && isExplained ? open.length : last.found }
  }

  /** Events of the person that the index missed. */
  async function takeMissed(): Promise<void> {
    const more = await lookOn(storage, known.asked, learntOf(known), true).catch(nobodyMore)
    const missed = more?.events.filter(({ id }) => !kinds.has(id)) ?? []
    if (more === null || missed.length === 0) return
    who = erasingOf(more, who.token)
    for (const { id, kind } of missed) kinds.set(id, kind)
    for (const id of more.besideOthers) beside.add(id)
    await storage.forgetEvents(missed.map(({ id }) => id))
    await rewriteAll(false)
  }

  async function rewriteAll(everywhere: boolean): Promise<void> {
    for (let round = 0, left = true; left && round < ROUNDS; round++) {
      left = false
      for await (const rows of ownRows(storage, who, kinds, everywhere)) {
        if (rows.length === 0) continue
        const { free, events } = await partHeld(storage, rows)
        for (const event of events) held.add(event)
        const count = await storage.rewritePersonal(free.map(({ change }) => change))
        left ||= count < free.length
        for (const { place } of free) touched[place] = (touched[place] ?? 0) + 1
      }
    }
  }
}

/** A search that leads to several people adds nothing. */
function nobodyMore(error: unknown): null {
  if (error instanceof UserError) return null
  throw error
}

/** A hold may have begun meanwhile. */
async function partHeld(
  storage: Pick<Storage, 'legalHolds'>,
  rows: readonly OwnRow[],
): Promise<{ free: OwnRow[]; events: number[] }> {
  const held = new Set(await heldEvents(storage))
  const isHeld = ({ event }: OwnRow) => event !== null && held.has(event)
  return { free: rows.filter((row) => !isHeld(row)), events: rows.filter(isHeld).flatMap(({ event }) => event ?? []) }
}

function placesText(staying: readonly PlaceToLook[]): string {
  const named = staying.map(({ table, event }) => (event === null ? table : `event ${event} (${table})`))
  const all = [...new Set(named)]
  return `An identifier of this person stands there as something else, or as a part of another word, and stays: look at ${all.slice(0, 10).join(', ')}${all.length > 10 ? ` and ${all.length - 10} more` : ''}.`
}

export async function countRows(storage: ErasedFrom, known: Known, who: Erasing): Promise<Erased['touched']> {
  const touched: Erased['touched'] = {}
  const kinds = new Map(known.events.map(({ id, kind }) => [id, kind]))
  for await (const rows of ownRows(storage, who, kinds))
    for (const { place } of rows) touched[place] = (touched[place] ?? 0) + 1
  return touched
}

/** Throws a UserError for pending deliveries. */
export function requireSettled(open: readonly DeliveryRow[], skipOpen: boolean): void {
  if (open.length > 0 && !skipOpen)
    throw new UserError(
      `${open.length} deliveries of this person are still owed (${open
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}): wait until they are made, skip them ("tillbridge deliveries skip <id>"), or say --skip-open.`,
    )
}
