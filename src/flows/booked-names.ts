import { keyPart } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { HeldError } from '../domain/values/errors.ts'
import { saleIdentity } from '../payloads/identity.ts'
import { placeOf, type Shape } from '../payloads/known/from.ts'
import { shapeOf } from '../payloads/known/kinds.ts'
import { type FieldReader, fieldsOf } from '../payloads/read-field.ts'
import type { Known, Planned, Step } from './flow.ts'

/*
 * The names of facts of the books: each is booked once under its name, by whatever kind and however often it comes. A number that
 * others may have too is told apart by what the fact says besides. Where nobody tells what a number is unique in, what the fact says goes
 * with its name (`said`): numbers begin again with a new terminal or year, and a second one that says something else is not dropped
 * (inbox/told-apart.ts).
 */

/** The beginning of a part: the event whose id follows may have been the same fact, and nothing is left of it that tells. */
const PERHAPS = '~perhaps-booked-'

/** The part of a step that is made only where a person says that this event was another fact. */
export function perhapsBooked(event: number): string {
  return `${PERHAPS}${event}`
}

/** Throws a HeldError where only a person can tell whether the fact was booked before, and nobody has. */
export function notBookedBefore(part: string, { released }: Pick<Known, 'released'>): void {
  if (!part.startsWith(PERHAPS) || released !== null) return
  const before = part.slice(PERHAPS.length)
  throw new HeldError(
    `event ${before} was booked under the same number, and says something else, or what it said is not kept any more: look whether the books have this one. If they do, skip it; if they do not, release it`,
    { code: 'perhaps-booked' },
  )
}

/** The names of a fact; none: its payload has no id, and the event itself is the fact. */
export type Named = Pick<Step, 'effect' | 'said'>

/** One that the platform numbers for all stores together. */
export function namedBy({ kind, payload }: Planned, what: string, field: string): Named {
  const id = read(kind, payload)?.text(field) ?? null
  return id === null ? {} : { effect: `booked/${what}/${keyPart(id)}` }
}

/** One that seems to be numbered so, and no document says it. */
export function perhapsNamedBy(event: Planned, what: string, field: string): Named {
  return withSaid(event, namedBy(event, what, field))
}

/** An invoice by its id; one that has a number alone by its store as well, which may number by itself. */
export function invoiceName(event: Planned): Named {
  const byId = namedBy(event, 'invoice', 'invoiceId')
  return withSaid(event, byId.effect === undefined ? inStore(event, 'invoice', 'number', []) : byId)
}

/** A terminal's count by its store and the terminal: each may number by itself. */
export function terminalName(event: Planned): Named {
  return withSaid(event, inStore(event, 'terminal', 'reconciliationId', ['terminalId']))
}

/**
 * A till's sale by what tells it apart. One that names no till or no receipt, by the store and the order (or the receipt) that it is
 * of, and by when it was made, its total and its lines: one order may be several sales (part deliveries, a return).
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

/** The lines of a sale, in whatever order they come. */
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

/** All that nothing is booked without: the same in whatever bytes, and however the rows are ordered. */
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
