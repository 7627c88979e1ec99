import type { KeptGap } from '../domain/ledger/gap.ts'
import { UNSETTLED } from '../domain/queue/delivery.ts'
import type { Touched } from './reading/matching.ts'
import type { createReading } from './reading/reading.ts'
import type { Act, Audit, Changed, DeliveryFilter, DeliveryRow, EventRow, Part } from './screens.ts'
import type { Store } from './store.ts'

type Matched<Row> = Pick<Changed<Row>, 'sample'> & { matched: number }

type Reading = Pick<
  ReturnType<typeof createReading>,
  'matching' | 'rows' | 'ids' | 'toDismiss' | 'eventRows' | 'idsToDismiss' | 'toExplain' | 'gapRows' | 'idsToExplain'
>

interface Selected<Row> {
  matching(): Promise<Matched<Row>>
  /** Oldest first. */
  ids(after: number, limit: number): Promise<number[]>
  rows(ids: number[]): Promise<Row[]>
}

/** One slice, one commit; returns the count. */
interface Apply {
  retry(ids: number[], again: boolean, yields: boolean, audit: Audit, act: number): Promise<number>
  skip(ids: number[], audit: Audit, act: number): Promise<number>
  letGo(ids: number[], audit: Audit, act: number): Promise<number>
  move(ids: number[], to: string, act: number): Promise<number>
  dismiss(ids: number[], audit: Audit, act: number): Promise<number>
  explain(ids: number[], audit: Audit, act: number): Promise<number>
  noteAct(act: Act, events: readonly number[]): Promise<number>
}

/** Rows per commit. */
const SLICE = 2_000
const SAMPLE = 10
const ALL: Part = { act: null, after: 0, most: Number.POSITIVE_INFINITY }

/** Operations on a selection: ids in slices, each slice one commit. */
export function createVerbs(
  reading: Reading,
  apply: Apply,
  changed: () => Promise<void> = async () => {},
): Pick<Store, 'retry' | 'skip' | 'releaseHeld' | 'move' | 'dismiss' | 'explainGaps'> {
  async function change(
    action: string,
    selection: object,
    which: DeliveryFilter,
    touched: Touched,
    audit: Audit,
    applyTo: (ids: number[], act: number) => Promise<number>,
  ): Promise<Changed> {
    const selected: Selected<DeliveryRow> = {
      matching: () => reading.matching(which, touched),
      ids: (after, limit) => reading.ids(which, touched, after, limit),
      rows: reading.rows,
    }
    const done = await walk(action, selection, selected, audit, applyTo)
    if (!audit.dryRun) await changed()
    return done
  }

  async function walk<Row>(
    action: string,
    selection: object,
    selected: Selected<Row>,
    audit: Audit,
    applyTo: (ids: number[], act: number) => Promise<number>,
  ): Promise<Changed<Row>> {
    const part = audit.part ?? ALL
    const { matched, sample } = part.act === null ? await selected.matching() : { matched: null, sample: [] }
    if (audit.dryRun) return { matched, changed: 0, sample, act: null, next: null }
    const act = part.act ?? (await apply.noteAct(actOf(audit, action, selection), []))
    let { after, most: left } = part
    let count = 0
    let last: number[] = []
    let isOver = false
    while (left > 0 && !isOver) {
      const limit = Math.min(SLICE, left)
      const ids = await selected.ids(after, limit)
      if (ids.length > 0) count += await applyTo(ids, act)
      last = [...last, ...ids].slice(-SAMPLE)
      after = ids.at(-1) ?? after
      left -= ids.length
      isOver = ids.length < limit
    }
    return { matched, changed: count, sample: await selected.rows(last), act, next: isOver ? null : after }
  }

  return {
    retry(which, audit, again) {
      const yields = which.id === undefined
      const touched: Touched = { states: ['waiting', 'held', 'dead', 'skipped'] }
      return change(again ? 'retry again' : 'retry', which, which, touched, audit, (ids, act) =>
        apply.retry(ids, again, yields, audit, act),
      )
    },
    skip: (which, audit) =>
      change('skip', which, which, { states: [...UNSETTLED] }, audit, (ids, act) => apply.skip(ids, audit, act)),
    releaseHeld: (which, audit) =>
      change('release', which, which, { states: ['held'], certain: true }, audit, (ids, act) =>
        apply.letGo(ids, audit, act),
      ),
    move(from, to, audit, { flows, ...among } = {}) {
      const which = { ...among, ...(flows && { flows }), destination: from }
      return change('move', { from, to, ...among }, which, { states: [...UNSETTLED] }, audit, (ids, act) =>
        apply.move(ids, to, act),
      )
    },
    dismiss(which, audit) {
      const selected: Selected<EventRow> = {
        matching: () => reading.toDismiss(which),
        ids: (after, limit) => reading.idsToDismiss(which, after, limit),
        rows: reading.eventRows,
      }
      return walk('dismiss', which, selected, audit, (ids, act) => apply.dismiss(ids, audit, act))
    },
    explainGaps(which, audit) {
      const selected: Selected<KeptGap> = {
        matching: () => reading.toExplain(which),
        ids: (after, limit) => reading.idsToExplain(which, after, limit),
        rows: reading.gapRows,
      }
      return walk('explain', which, selected, audit, (ids, act) => apply.explain(ids, audit, act))
    },
  }
}

function actOf({ at, by, reason }: Audit, action: string, selection: object): Act {
  return { at, by, action, reason, selection: JSON.stringify(selection), changed: 0, refused: null }
}
