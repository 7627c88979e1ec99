import type { Act, Audit } from '../screens.ts'
import { heldEvents } from './held-events.ts'
import type { Held, Holding } from './holding.ts'

interface Reading {
  eventsHere(ids: readonly number[]): Promise<number[]>
  legalHolds: Holding['legalHolds']
}

/** The changes, each in one commit with its trace; how many were changed. */
interface Apply {
  hold(ids: readonly number[], audit: Audit, act: number): Promise<number>
  unhold(ids: readonly number[], act: number): Promise<number>
  noteAct(act: Act, events: readonly number[]): Promise<number>
}

/** The verbs on legal holds: the act is written before what it does. */
export function createHoldVerbs(reading: Reading, apply: Apply): Holding {
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
    legalHolds: reading.legalHolds,
  }
}

/** The most ids that an act names in its words; all of them are in what it touched. */
const SHOWN = 20
