import {
  type Attempt,
  ambiguous,
  asError,
  type BackOfficeCall,
  type BackOfficePort,
  type Batch,
  type BatchResult,
  type BookingName,
  type Call,
  type Effect,
  idOfPosOrder,
  idsOfOrder,
  type Link,
  MAY_REPEAT,
  methodOf,
  type OrdersCall,
  PermanentError,
  type RecordKind,
  RetryLaterError,
  sortOfLink,
  statusLine,
  UnknownOutcomeError,
  uncertainUnlessNotDone,
  valueAt,
} from 'tillbridge/adapter'
import { type Answer, type Api, ask, isFault } from './api.ts'
import {
  at,
  buildRequest,
  type EffectTemplate,
  holds,
  idOf,
  idsOf,
  MappingError,
  mapped,
  refuseWhenSaid,
  withoutData,
} from './mapping.ts'
import type { RestOptions, WrittenEffects } from './options.ts'

/** Two orders of one number throw a HeldError `ambiguous-order`; links by receipt number do not count. */
function linkedOrder(where: string, number: string, links: readonly Link[]): { theirId?: string; ofPos?: true } {
  const numbered = links.filter(({ id }) => sortOfLink(id) !== 'receipt')
  const orders = [...new Map(numbered.map((link) => [link.theirId, link])).values()]
  const [only] = orders
  if (!only) return {}
  if (orders.length > 1)
    throw ambiguous(
      where,
      number,
      orders.map(({ id, theirId }) => ({ theirId, is: sortOfLink(id) })),
    )
  return { theirId: only.theirId, ...(sortOfLink(only.id) === 'pos' && { ofPos: true }) }
}

const KEEP = 256 * 1024

export interface Method {
  where: string
  written: WrittenEffects
  /** Not repeatable: a failure is in doubt. */
  once: boolean
}

export function canBeFound({ written }: Method): boolean {
  return [written].flat().some(({ find, idempotent }) => find !== undefined || idempotent)
}

export function isLookedFor({ written }: Method): boolean {
  const all = [written].flat()
  const isAlwaysSent = all.some(({ when }) => when === undefined)
  return isAlwaysSent && all.every(({ find, idempotent }) => find !== undefined && !idempotent)
}

export async function makeEffect(api: Api, method: Method, subject: Subject, attempt: Attempt): Promise<Effect> {
  const { where, written, once } = method
  return await mapped(where, async () => {
    const input = await inputOf(where, subject, attempt)
    const template = templateFor(written, input)
    if (!template) return { note: 'nothing to send: no `when` holds' }
    requireTheirId(where, template, subject, input)
    const request = buildRequest(template, input)
    const { statuses } = template
    const sent = api.send(request, { signal: attempt.signal, statuses, keep: KEEP })
    const answer = await (once && !template.idempotent ? sent.catch((error) => uncertain(error, statuses)) : sent)
    return effectOf(where, template, { ...input, ...answer }, subject.made)
  })
}

export async function findEffect(api: Api, method: Method, subject: Subject, attempt: Attempt): Promise<Effect | null> {
  const { ids, isThere } = await look(api, method, subject, attempt)
  const [theirId] = ids
  if (theirId !== undefined) return withLink({}, subject.made, theirId)
  return isThere ? {} : null
}

export async function countEffects(api: Api, method: Method, subject: Subject, attempt: Attempt): Promise<number> {
  const { ids, isThere } = await look(api, method, subject, attempt)
  return ids.length || Number(isThere)
}

async function look(
  api: Api,
  { where, written }: Method,
  subject: Subject,
  attempt: Attempt,
): Promise<{ ids: string[]; isThere: boolean }> {
  return await mapped(where, async () => {
    const input = await inputOf(where, subject, attempt)
    const template = templateFor(written, input)
    if (!template || template.idempotent)
      throw new PermanentError(`${where}: the system knows it by its key, or it sends nothing`, { code: MAY_REPEAT })
    const { find } = template
    if (!find) throw new PermanentError(`${where} has no find in config`, { code: 'cannot-find' })
    requireTheirId(where, find, subject, input)
    const place = `${where}.find`
    return await mapped(place, async () => {
      const over = await ask(api, { where: place, template: find, input, signal: attempt.signal })
      const ids = [...new Set(at('found', () => idsOf(find.found, over)))]
      return { ids, isThere: ids.length > 0 || at('found', () => holds(find.found, over)) }
    })
  })
}

async function inputOf(where: string, { input, known }: Subject, { key, links }: Attempt): Promise<object> {
  if (known?.kind === 'order') {
    const linked = linkedOrder(where, known.id, await links('order', idsOfOrder(known.id)))
    return withoutNulls({ ...input, key, ...linked })
  }
  const [link] = known ? await links(known.kind, [known.id]) : []
  return withoutNulls({ ...input, key, ...(link && { theirId: link.theirId }) })
}

function requireTheirId(where: string, { path }: { path: string }, { known }: Subject, input: object): void {
  if (known === null || Object.hasOwn(input, 'theirId') || !/\{\{\s*theirId\s*\}\}/.test(path)) return
  const [system = ''] = where.split(':')
  throw new PermanentError(
    `${where}: ${system}'s id of ${known.kind} ${known.id} is not known here: the hub has neither made it there nor got it from there. To do: put it right in ${system} by hand and skip this; for others to come, have ${system} hand its orders over with their ids (poll, /v1/orders), or let the path name the number ({{order.number}}), then retry`,
    { code: 'unknown-id' },
  )
}

function templateFor(written: WrittenEffects, input: object): EffectTemplate | null {
  const all = [written].flat()
  return all.find(({ when }) => when === undefined || at('when', () => holds(when, input))) ?? null
}

function effectOf(where: string, template: EffectTemplate, over: object & Answer, made: Subject['made']): Effect {
  const { link } = template
  const { status } = over
  const said = `${where}: the answer (${statusLine(status)})`
  overAnswer(said, () => refuseWhenSaid(where, template, over))
  const theirId = link === undefined ? null : overAnswer(said, () => idOf(link, over))
  // 409 that config calls done need not have an id.
  if (link !== undefined && theirId === null && status < 300)
    throw new UnknownOutcomeError(`${said} has no id where \`link\` looks for it`, { code: 'unreadable-answer' })
  const effect = { note: statusLine(status) }
  return theirId === null ? effect : withLink(effect, made, theirId)
}

function overAnswer<T>(said: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MappingError)) throw error
    throw new UnknownOutcomeError(`${said} cannot be read`, {
      code: 'unreadable-answer',
      cause: withoutData(error, said),
    })
  }
}

function withLink(effect: Effect, made: Subject['made'], theirId: string): Effect {
  return made ? { ...effect, links: [{ ...made, theirId }] } : effect
}

/** In doubt, unless config says otherwise. */
function uncertain(error: unknown, statuses: EffectTemplate['statuses']): never {
  const isSaid = error instanceof RetryLaterError && statuses?.[error.code.replace('http-', '')] !== undefined
  if (isSaid) throw error
  return uncertainUnlessNotDone(error)
}

export const ORDER_EFFECTS = [
  'create',
  'draft',
  'ready',
  'collected',
  'decline',
  'expire',
  'ship',
  'refund',
  'noteRefund',
] as const satisfies OrdersCall['method'][]

/** What mappings see, besides `key` and `theirId`. */
interface Subject {
  input: object
  /** The record with `theirId`; of an order its number. */
  known: { kind: string; id: string } | null
  made: { kind: string; id: string } | null
}

export function orderSubject(call: OrdersCall): Subject {
  const { method, argument } = call
  const of = (number: string, made: Subject['made'] = null) => ({ known: { kind: 'order', id: number }, made })
  switch (method) {
    case 'create':
      return { input: { order: argument }, known: null, made: { kind: 'order', id: idOfPosOrder(argument) } }
    case 'draft':
      return { input: { order: argument }, known: null, made: { kind: 'draft', id: argument.number } }
    case 'decline':
      return { input: argument, ...of(argument.order.number) }
    case 'ship':
      return { input: argument, ...of(argument.order.number, { kind: 'shipment', id: argument.parcel.id }) }
    case 'refund':
    case 'noteRefund': {
      const { refund, line } = argument
      return { input: argument, ...of(refund.number, { kind: 'refund', id: `${refund.refundId}/${line.key}` }) }
    }
    default:
      return { input: { order: argument }, ...of(argument.number) }
  }
}

export function customerSubject(input: object, customerId: string | null): Subject {
  const customer = customerId === null ? null : { kind: 'customer', id: customerId }
  return { input, known: customer, made: customer }
}

function bookingSubject(kind: RecordKind, call: BackOfficeCall, key: string): Subject {
  const made = { kind, id: recordId(call) ?? key }
  const { argument: input } = call
  const isEnd = 'step' in input && (input.step === 'received' || input.step === 'ended')
  return { input, known: isEnd ? made : null, made }
}

function recordId({ method, argument }: BackOfficeCall): string | null {
  if (method === 'bookSale') {
    const { store, receiptNo } = argument.sale
    return store.posId === null ? receiptNo : `${store.posId}/${receiptNo}`
  }
  const path = RECORD_IDS[method]
  return path === undefined ? null : (valueAt(argument, path) as string | null)
}

const RECORD_IDS: Readonly<Partial<Record<BookingName, string>>> = {
  bookInvoice: 'invoice.invoiceId',
  bookSettlement: 'settlement.settlementId',
  bookDelivery: 'delivery.deliveryId',
  bookMovement: 'movement.movementId',
  bookCount: 'count.countId',
  bookAdjustment: 'adjustment.adjustmentId',
  bookTransfer: 'transfer.transferId',
  bookGiftCard: 'transaction.transactionId',
  bookTerminal: 'reconciliation.reconciliationId',
  bookReservation: 'reservation.reservationId',
}

/** JSONata ignores what is missing, and fails on null. */
function withoutNulls(input: object): object {
  return JSON.parse(JSON.stringify(input, (_, value: unknown) => value ?? undefined)) as object
}

interface Book extends Method {
  kind: RecordKind
}

export function createBackOffice(
  api: Api,
  written: NonNullable<RestOptions['backOffice']>,
  destination: string,
): BackOfficePort {
  const books = new Map<string, Book>()
  for (const kind of Object.keys(written) as RecordKind[]) {
    const effects = written[kind]
    const where = `${destination}: backOffice.${kind}`
    if (effects) books.set(methodOf(kind), { kind, where, written: effects, once: true })
  }

  async function tell(book: Book, method: string, batch: Batch<unknown>): Promise<BatchResult> {
    const results: (Effect | Error)[] = []
    for (const { argument, attempt } of batch) {
      const call = { port: 'backOffice', method, argument } as BackOfficeCall
      const subject = bookingSubject(book.kind, call, attempt.key)
      const result = await makeEffect(api, book, subject, attempt).catch(asError)
      results.push(result)
      if (isFault(result)) return [...results, ...batch.slice(results.length).map(() => result)]
    }
    return results
  }

  async function findBooked(attempt: Attempt, call: Call): Promise<Effect | null> {
    const book = books.get(call.method)
    if (!book) return null
    return await findEffect(api, book, bookingSubject(book.kind, call as BackOfficeCall, attempt.key), attempt)
  }

  const methods = [...books].map(([method, book]) => [method, (batch: Batch<unknown>) => tell(book, method, batch)])
  return {
    ...(Object.fromEntries(methods) as Omit<BackOfficePort, 'find'>),
    ...([...books.values()].some(canBeFound) && { find: findBooked }),
  }
}
