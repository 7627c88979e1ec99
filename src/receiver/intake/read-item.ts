import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { extIdOf } from '../../domain/people/customer-record.ts'
import { field, text } from '../../domain/values/field.ts'
import type { IntakeItem } from '../../ports/intake.ts'
import { fault, found } from '../submissions/faults.ts'
import { cancelledBefore, type KnownOrder, mayChange, movedFault, notKept } from '../submissions/known-orders.ts'
import type { Reading, ReadingContext } from '../submissions/resources/resource.ts'
import { RESOURCES } from '../submissions/resources/resources.ts'
import type { IntakeSystem } from './system.ts'

/** The reading that an item asks for: an event to be, or what is wrong with it; null: there is nothing to do. */
export type Asked = Reading | null

type Rules = Pick<IntakeSystem, 'name' | 'places' | 'country' | 'currencies' | 'reservationHours'>

/** An order as it is now, for the store of its place. */
export function readOrderItem(
  { place, theirId, value, changedAt }: IntakeItem,
  rules: Rules,
  context: ReadingContext,
  known: KnownOrder | null,
): Asked {
  const named = value.storeNo ?? value.storeId ?? null
  if (named === null && place === null) return null
  const order = {
    ...value,
    ...(named === null && place !== null && { storeNo: storeOf(place, rules) }),
    reservationLengthInHours: value.reservationLengthInHours ?? rules.reservationHours,
  }
  const reading = only(RESOURCES.orders.readObject(order, context))
  if ('faults' in reading)
    return place === null ? reading : { faults: [...reading.faults, ...aboutPlace(place, rules)] }
  const submitted = reading.payload as SubmittedOrder
  const { orderNo } = submitted
  const linked = { ...reading, links: [{ kind: 'order', id: orderNo, theirId: theirId ?? orderNo }] }
  if (!known) return linked
  if (isOlder(changedAt, known)) return null
  const { latest, cancelled } = known
  if (latest && isSame(submitted, latest)) return cancelled ? { faults: [cancelledBefore(orderNo)] } : null
  if (!mayChange(known, rules.name)) return { faults: [ofAnother(orderNo, known)] }
  if (cancelled) return { faults: [cancelledBefore(orderNo)] }
  if (!latest) return { faults: [notKept(orderNo)] }
  const moved = movedFault(submitted, latest)
  return moved === null ? { ...linked, kind: 'OrderChangeSubmitted' } : { faults: [moved] }
}

/**
 * An order that is off. Where no store has it, that is kept: what was said of it before may come later. `knownId`: the id that it
 * came with.
 */
export function readCancellationItem(
  { theirId, changedAt }: IntakeItem,
  orderNo: string,
  { name }: Rules,
  known: KnownOrder | null,
  knownId: string | null,
): Asked {
  if (!known) return changedAt === undefined ? null : { kind: 'OrderCalledOff', payload: { orderNo, changedAt } }
  if (known.cancelled || isOlder(changedAt, known)) return null
  if (!mayChange(known, name)) return { faults: [ofAnother(orderNo, known)] }
  if (theirId !== null && knownId !== null && theirId !== knownId)
    return { faults: [`what is off has the id ${theirId} there, and order ${orderNo} has the id ${knownId}`] }
  if (!known.latest) return { faults: [notKept(orderNo)] }
  const { storeId, stockId } = known.latest
  return { kind: 'OrderCancelSubmitted', payload: { orderNo, storeId, stockId } }
}

/** A completed order: not where the platform has its sale already, because it began at a till or went through a store. */
export function readSaleItem(
  { place, value }: IntakeItem,
  rules: Rules,
  context: ReadingContext,
  known: KnownOrder | null,
): Asked {
  if (known || value.endlessAisle === true) return null
  const sale = {
    ...value,
    ...(value.customer !== undefined && { customer: ofSystem(value.customer, rules.name) }),
    ...(namesStore(value) ? {} : standingFor(place, value, rules)),
  }
  return only(RESOURCES.sales.readObject(sale, context))
}

export function readCustomerItem({ value, changedAt }: IntakeItem, { name }: Rules, context: ReadingContext): Reading {
  const customer = { ...value, ...(changedAt !== undefined && { changedAt }) }
  return only(RESOURCES.customers.readObject(ofSystem(customer, name), context))
}

/** Shops count their accounts alike: customer 42 of two of them is two people. */
function ofSystem(customer: unknown, system: string): unknown {
  const extId = field(customer, 'extId')
  return typeof extId === 'string' ? { ...Object(customer), extId: extIdOf(system, extId) } : customer
}

/** The number of the order that an item is about; without it, it is no order. */
export function orderNoOf({ value: { orderNo } }: IntakeItem): string | null {
  return typeof orderNo === 'string' && orderNo.trim() !== '' ? orderNo.trim() : null
}

export function withoutNumber({ value }: IntakeItem): { faults: string[] } {
  return { faults: [fault(['orderNo'], found(value.orderNo), 'the number of the order, as text')] }
}

function namesStore({ storeNo, storeId }: Record<string, unknown>): boolean {
  return (storeNo ?? storeId ?? null) !== null
}

/** The currency goes before the country, and the country of config before that of the item, which may be where the customer lives. */
function standingFor(place: string | null, value: Record<string, unknown>, rules: Rules): Record<string, unknown> {
  const storeNo = rules.currencies[currencyOf(value) ?? '']
  if (storeNo !== undefined) return { country: undefined, storeNo }
  if (rules.country !== undefined) return { country: rules.country }
  return value.country || place === null ? {} : { storeNo: storeOf(place, rules) }
}

function currencyOf({ paymentLines }: Record<string, unknown>): string | null {
  const [first] = Array.isArray(paymentLines) ? paymentLines : []
  return text(first, 'currency')?.toUpperCase() ?? null
}

function storeOf(place: string, { places }: Rules): string {
  return Object.hasOwn(places, place) ? (places[place] ?? place) : place
}

function aboutPlace(place: string, { name, places }: Rules): string[] {
  if (Object.hasOwn(places, place)) return []
  const shown = found(place)
  return [`its place is ${shown}: destinations.${name}.intake.stores in config may say which store that is`]
}

/** Times are compared, not texts: they may have any zone. */
/** Whether a state of an order is not its last: shops count in seconds, and within one the cancellation is the last. */
function isOlder(changedAt: string | undefined, { changedAt: last, cancelled }: KnownOrder): boolean {
  return (
    isBefore(changedAt, last) ||
    (cancelled && changedAt !== undefined && Date.parse(changedAt) === Date.parse(last ?? ''))
  )
}

export function isBefore(one: string | undefined, other: string | null): boolean {
  return one !== undefined && other !== null && Date.parse(one) < Date.parse(other)
}

/** Shops count their orders alike: a number of two of them is not one order. */
function ofAnother(orderNo: string, { origin }: KnownOrder): string {
  return (
    `order ${orderNo} was submitted by ${origin} before, and is changed and cancelled by it only: ` +
    'if they are two orders, let one of the systems put a prefix before its numbers'
  )
}

/**
 * JSON of both was made by the same reader, so that the fields of equal ones stand in the same order. What articles are called is
 * for messages, and no change for the store.
 */
function isSame(one: SubmittedOrder, other: SubmittedOrder): boolean {
  const said = ({ lines, ...order }: SubmittedOrder) => [order, lines.map(({ name: _, ...line }) => line)]
  return JSON.stringify(said(one)) === JSON.stringify(said(other))
}

function only(readings: Iterable<Reading>): Reading {
  const [first] = readings
  return first ?? { faults: [] }
}
