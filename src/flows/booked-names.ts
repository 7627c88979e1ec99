import { keyPart } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { HeldError } from '../domain/values/errors.ts'
import { saleIdentity } from '../payloads/identity.ts'
import { placeOf, type Shape } from '../payloads/known/from.ts'
import { shapeOf } from '../payloads/known/kinds.ts'
import { type FieldReader, fieldsOf } from '../payloads/read-field.ts'
import type { Known, Planned, Step } from './flow.ts'

/**
 * Effect names in accounting: each fact is posted once, by whatever kind it comes. Where the scope of a number is unknown, the content
 * goes with it (`said`): numbers restart with a new terminal or year, and another fact under the same number must not be dropped
 * (inbox/told-apart.ts).
 */

/** Step key prefix of a possible duplicate; the id of the earlier event follows. */
const PERHAPS = '~perhaps-booked-'

/** Step key of a step that only an operator may release as another fact. */
export function perhapsBooked(event: number): string {
  return `${PERHAPS}${event}`
}

/** Throws a HeldError for a possible duplicate that no operator released. */
export function notBookedBefore(part: string, { released }: Pick<Known, 'released'>): void {
  if (!part.startsWith(PERHAPS) || released !== null) return
  const before = part.slice(PERHAPS.length)
  throw new HeldError(
    `event ${before} was booked under the same number, and says something else, or what it said is not kept any more: look whether the books have this one. If they do, skip it; if they do not, release it`,
    { code: 'perhaps-booked' },
  )
}

/** None: without an id the event itself is the fact. */
export type Named = Pick<Step, 'effect' | 'said'>

/** Numbered by the platform across all stores. */
export function namedBy({ kind, payload }: Planned, what: string, field: string): Named {
  const id = read(kind, payload)?.text(field) ?? null
  return id === null ? {} : { effect: `booked/${what}/${keyPart(id)}` }
}

/** Seemingly numbered so, undocumented. */
export function perhapsNamedBy(event: Planned, what: string, field: string): Named {
  return withSaid(event, namedBy(event, what, field))
}

/** By its id; by store and number otherwise. */
export function invoiceName(event: Planned): Named {
  const byId = namedBy(event, 'invoice', 'invoiceId')
  return withSaid(event, byId.effect === undefined ? inStore(event, 'invoice', 'number', []) : byId)
}

/** By store and terminal. */
export function terminalName(event: Planned): Named {
  return withSaid(event, inStore(event, 'terminal', 'reconciliationId', ['terminalId']))
}

/**
 * A sale by its identity; without POS or receipt by store, order (or receipt), time, total and lines: one order may have several sales
 * (part deliveries, a return).
 */
export function saleName({ kind, payload, origin }: Planned): Named {
  const identity = saleIdentity(payload, origin)
  if (identity) return { effect: `booked/sale/${identity.key}` }
  const sale = read(kind, payload)
  const [order, receipt] = [sale?.text('orderNo') ?? null, sale?.text('receiptNo') ?? null]
  if (!sale || (order ?? receipt) === null) return {}
  const store = keyPart(sale.text('storeNo') ?? sale.text('storeName') ?? '')
  const said = digestOf([receipt, sale.text('createdAt'), sale.decimal('total'), linesOf(sale)])
  if (order === null) return { effect: `booked/sale/receipt/${store}/${keyPart(receipt ?? '')}/${said}` }
  return { effect: `booked/sale/order/${store}/${keyPart(order)}/${said}` }
}

/** Independent of their order. */
function linesOf(sale: FieldReader): string[] {
  return sale
    .list('lines')
    .map((line) =>
      JSON.stringify([line.text('gtin'), line.text('sku'), line.decimal('quantity'), line.decimal('price')]),
    )
    .sort()
}

function inStore({ kind, payload }: Planned, what: string, field: string, besides: readonly string[]): Named {
  const fact = read(kind, payload)
  const id = fact?.text(field) ?? null
  if (!fact || id === null) return {}
  const store = fact.text('storeNo') ?? fact.text('storeId') ?? fact.text('posId')
  const apart = [store, ...besides.map((name) => fact.text(name)), id]
  return { effect: `booked/${what}/${apart.map((part) => keyPart(part ?? '')).join('/')}` }
}

function withSaid({ kind, payload }: Planned, named: Named): Named {
  const shape = shapeOf(kind)
  return named.effect === undefined || !shape ? named : { ...named, said: digestOf(essentialsOf(shape, payload)) }
}

/** Essential fields, independent of bytes and row order. */
function essentialsOf(shape: Shape, payload: unknown): unknown[] {
  const read = fieldsOf(shape, payload)
  const groups = Map.groupBy(shape.essentials.flat(), (name) => placeOf(name).list)
  return [...groups].map(([list, names]) => {
    const said = (row: FieldReader) =>
      names.map((name) => {
        const is = shape.fields[name]?.is
        if (is === 'list') return null
        return is === 'number' ? row.decimal(placeOf(name).name) : row.text(placeOf(name).name)
      })
    return list === null
      ? said(read)
      : read
          .list(list)
          .map((row) => JSON.stringify(said(row)))
          .sort()
  })
}

function read(kind: string, payload: unknown): FieldReader | null {
  const shape = shapeOf(kind)
  return shape && fieldsOf(shape, payload)
}
