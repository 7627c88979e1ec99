import { type DeliveryState, UNSETTLED } from '../domain/queue/delivery.ts'
import type { Reading } from './read-models/reading.ts'
import type { Selected, Selection } from './read-models/selecting.ts'
import type { Audit, Changed, CommandSlice, DeliveryFilter, LegalHoldResult } from './rows.ts'
import type { Storage } from './storage.ts'
import type { changing } from './tables/audit.ts'
import type { Later } from './tables/statement.ts'
import type { transactions } from './tables/tables.ts'
import { eventsOnLegalHold } from './walk-pages.ts'

type Apply = Later<typeof changing & Pick<typeof transactions, 'dismiss' | 'explain' | 'noteAct' | 'hold' | 'unhold'>>

type Verb = 'retry' | 'skip' | 'releaseHeld' | 'move' | 'dismiss' | 'explainGaps' | 'holdEvents' | 'unholdEvents'

const SLICE = 2_000
const SAMPLE = 10
const SHOWN = 20
const ALL: CommandSlice = { act: null, after: 0, most: Number.POSITIVE_INFINITY }

/** Operations on a selection: ids in slices, each slice one commit. */
export function createOperatorCommands(
  reading: Pick<Reading, 'matching' | 'selectedIds' | 'selectedRows' | 'legalHolds' | 'eventsHere'>,
  apply: Apply,
  changed: () => Promise<void> = async () => {},
): Pick<Storage, Verb> {
  async function change<S extends Selection>(
    action: string,
    selection: S,
    audit: Audit,
    applyTo: (ids: number[], act: number) => Promise<number>,
    noted: object = selection.filter,
  ): Promise<Changed<Selected[S['of']]>> {
    const { dryRun, part: given, ...who } = audit
    const part = given ?? ALL
    const { matched, sample } = part.act === null ? await reading.matching(selection) : { matched: null, sample: [] }
    if (dryRun) {
      const first = await reading.selectedIds(selection, 0, 1)
      const [oldest = null] = (await reading.selectedRows(selection.of, first)) as Selected[S['of']][]
      return { matched, changed: 0, sample, oldest, act: null, next: null }
    }
    const act = part.act ?? (await apply.noteAct({ ...who, action, selection: noted }))
    let { after, most: left } = part
    let count = 0
    let last: number[] = []
    let isOver = false
    while (left > 0 && !isOver) {
      const limit = Math.min(SLICE, left)
      const ids = await reading.selectedIds(selection, after, limit)
      if (ids.length > 0) count += await applyTo(ids, act)
      last = [...last, ...ids].slice(-SAMPLE)
      after = ids.at(-1) ?? after
      left -= ids.length
      isOver = ids.length < limit
    }
    const rows = (await reading.selectedRows(selection.of, last)) as Selected[S['of']][]
    if (selection.of === 'deliveries') await changed()
    return { matched, changed: count, sample: rows, act, next: isOver ? null : after }
  }

  /** The audit entry is written before the change. */
  async function changeHolds(
    action: 'hold' | 'unhold',
    ids: readonly number[],
    audit: Audit,
    applyTo: (act: number) => Promise<number>,
  ): Promise<LegalHoldResult> {
    const { at, by, reason, dryRun } = audit
    const here = new Set(await reading.eventsHere(ids))
    const held = new Set(await eventsOnLegalHold(reading))
    const missing = ids.filter((id) => !here.has(id))
    const left = ids.filter((id) => here.has(id) && held.has(id) === (action === 'hold'))
    if (dryRun) return { act: null, changed: ids.length - missing.length - left.length, missing, left }
    const selection = { events: ids.slice(0, SHOWN), ...(ids.length > SHOWN && { of: ids.length }) }
    const act = await apply.noteAct({ at, by, action, reason, selection })
    return { act, changed: await applyTo(act), missing, left }
  }

  return {
    retry(which, audit, again) {
      const selection = deliveriesIn(which, ['waiting', 'held', 'dead', 'skipped'])
      const yields = which.id === undefined
      return change(again ? 'retry again' : 'retry', selection, audit, (ids, act) =>
        apply.retryThose(ids, again, yields, audit, act),
      )
    },
    skip: (which, audit) =>
      change('skip', deliveriesIn(which, [...UNSETTLED]), audit, (ids, act) => apply.skipThose(ids, audit, act)),
    releaseHeld: (which, audit) =>
      change('release', deliveriesIn(which, ['held'], true), audit, (ids, act) => apply.releaseThose(ids, audit, act)),
    move(from, to, audit, { flows, ...among } = {}) {
      const selection = deliveriesIn({ ...among, ...(flows && { flows }), destination: from }, [...UNSETTLED])
      return change('move', selection, audit, (ids, act) => apply.moveThose(ids, to, act), { from, to, ...among })
    },
    dismiss: (filter, audit) =>
      change('dismiss', { of: 'events', filter } as const, audit, (ids, act) => apply.dismiss(ids, audit, act)),
    explainGaps: (filter, audit) =>
      change('explain', { of: 'gaps', filter } as const, audit, (ids, act) => apply.explain(ids, audit, act)),
    holdEvents: (ids, audit) => changeHolds('hold', ids, audit, (act) => apply.hold(ids, audit, act)),
    unholdEvents: (ids, audit) => changeHolds('unhold', ids, audit, (act) => apply.unhold(ids, act)),
  }
}

function deliveriesIn(filter: DeliveryFilter, states: DeliveryState[], isCertain = false) {
  return { of: 'deliveries', filter, touched: { states, ...(isCertain && { certain: true as const }) } } as const
}
