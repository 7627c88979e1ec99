import { UNSETTLED } from '../../domain/queue/delivery.ts'
import type { DeliveryFilter, EventFilter, ListPage } from '../rows.ts'

export interface IdRange {
  above: number
  below: number
}

export interface Span {
  floor: number
  below: number
}

export const STRETCH = 20_000
const PAGE = 50

export async function readInIdRanges<Row>(
  { before, after, limit = PAGE }: Pick<EventFilter, 'before' | 'after' | 'limit'>,
  { floor, below }: Span,
  look: number,
  read: (stretch: IdRange, limit: number) => Promise<Row[]>,
): Promise<ListPage<Row>> {
  const oldestFirst = after !== undefined
  const rows: Row[] = []
  let from = Math.max(floor, after ?? 0)
  let to = Math.min(below, before ?? Number.MAX_SAFE_INTEGER)
  for (let looked = 0; rows.length < limit && to - from > 1; looked += STRETCH) {
    if (looked >= look) return { rows, next: oldestFirst ? from : to }
    const stretch = oldestFirst
      ? { above: from, below: Math.min(to, from + STRETCH + 1) }
      : { above: Math.max(from, to - STRETCH - 1), below: to }
    rows.push(...(await read(stretch, limit - rows.length)))
    if (oldestFirst) from = stretch.below - 1
    else to = stretch.above + 1
  }
  return { rows, next: null }
}

/* Lists with an index, or by ids alone, are one query; others are read in stretches of bounded time. */

export function isEventsAnswered(filter: EventFilter): boolean {
  const { id, entity, entities, reusedKey } = filter
  const isFound = id !== undefined || isOrder(entity) || entities !== undefined || reusedKey === true
  return isFound || isToLookAt(filter) || isIdsAlone(filter)
}

export function isDeliveriesAnswered(filter: DeliveryFilter): boolean {
  return isFew(filter) || isUnsettledAlone(filter) || filter.state === 'skipped' || isIdsAlone(filter)
}

export function isToLookAt({ dismissed, conflict, state }: EventFilter): boolean {
  return dismissed === false && (conflict === true || (state ?? 'routed') !== 'routed')
}

export function isUnsettledAlone({ state }: DeliveryFilter): boolean {
  return state !== undefined && UNSETTLED.has(state)
}

export function isFew({ id, event, events, entity }: DeliveryFilter): boolean {
  return id !== undefined || event !== undefined || events !== undefined || isOrder(entity)
}

function isOrder(entity: string | undefined): boolean {
  return entity?.startsWith('order:') ?? false
}

function isIdsAlone(filter: EventFilter | DeliveryFilter): boolean {
  return Object.entries(filter).every(([name, value]) => value === undefined || IDS.has(name))
}

const IDS: ReadonlySet<string> = new Set(['before', 'after', 'limit'])
