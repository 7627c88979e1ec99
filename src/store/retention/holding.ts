import type { Instant } from '../../domain/values/instant.ts'
import type { Reading } from '../reading/reading.ts'
import type { Act, Audit } from '../screens.ts'

export interface LegalHold {
  event: number
  at: Instant
  by: string
  reason: string
}

export interface Holding {
  /** Those missing or already held are left out. */
  holdEvents(ids: readonly number[], audit: Audit): Promise<Held>
  unholdEvents(ids: readonly number[], audit: Audit): Promise<Held>
}

export interface Held {
  act: number | null
  changed: number
  missing: number[]
  left: number[]
}

const PAGE = 1_000

export async function heldEvents(store: Pick<Reading, 'legalHolds'>): Promise<number[]> {
  const held: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.legalHolds(after, PAGE)
    held.push(...page.map(({ event }) => event))
    after = page.length < PAGE ? null : (page.at(-1)?.event ?? null)
  }
  return held
}

/** Each in one commit with its audit entry. */
interface Apply {
  hold(ids: readonly number[], audit: Audit, act: number): Promise<number>
  unhold(ids: readonly number[], act: number): Promise<number>
  noteAct(act: Act, events: readonly number[]): Promise<number>
}

/** The audit entry is written before the change. */
export function createHoldVerbs(reading: Pick<Reading, 'legalHolds' | 'eventsHere'>, apply: Apply): Holding {
  async function change(
    action: 'hold' | 'unhold',
    ids: readonly number[],
    audit: Audit,
    applyTo: (act: number) => Promise<number>,
  ): Promise<Held> {
    const { at, by, reason, dryRun } = audit
    const here = new Set(await reading.eventsHere(ids))
    const held = new Set(await heldEvents(reading))
    const missing = ids.filter((id) => !here.has(id))
    const left = ids.filter((id) => here.has(id) && held.has(id) === (action === 'hold'))
    if (dryRun) return { act: null, changed: ids.length - missing.length - left.length, missing, left }
    const selection = JSON.stringify({ events: ids.slice(0, SHOWN), ...(ids.length > SHOWN && { of: ids.length }) })
    const act = await apply.noteAct({ at, by, action, reason, selection, changed: 0, refused: null }, [])
    return { act, changed: await applyTo(act), missing, left }
  }

  return {
    holdEvents: (ids, audit) => change('hold', ids, audit, (act) => apply.hold(ids, audit, act)),
    unholdEvents: (ids, audit) => change('unhold', ids, audit, (act) => apply.unhold(ids, act)),
  }
}

/** Ids in the entry's text; all are linked. */
const SHOWN = 20
