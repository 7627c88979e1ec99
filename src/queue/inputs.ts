import { isSameArticle } from '../domain/catalogue/article-number.ts'
import type { Link } from '../domain/orders/link.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import { type ErasedCustomer, NOTICE_KEYS, type Notice, openNotice, readNamedKey } from '../domain/privacy/notice.ts'
import { partOf } from '../domain/queue/delivery.ts'
import { payloadOf } from '../domain/queue/event.ts'
import { outcomeOf } from '../domain/queue/outcome.ts'
import { RetryLaterError } from '../domain/values/errors.ts'
import { compareDecimals, type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../domain/values/money.ts'
import {
  type AppliedQuantity,
  type ArticleQuantity,
  type CallContext,
  EMPTY_CONTEXT,
  type Flow,
} from '../flows/flow.ts'
import { readOrderUpdate } from '../platform/payloads/order-update.ts'
import type { Claim } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import type { Destination } from './destination.ts'
import type { OrderReader, SettlementReader } from './order-reader.ts'

export interface Sources {
  links: Storage['links']
  effectsOf: Storage['effectsOf']
  deliveries: Storage['deliveries']
  event: Storage['event']
  find: Storage['find']
  orders: OrderReader
  settlements: SettlementReader
  storeOf: CallContext['storeOf']
}

const ASKS: readonly (keyof Flow)[] = ['needsOrder', 'assertionOf', 'applied', 'prior', 'needsNotice']

export function needsContext({ event }: Pick<Claim, 'event'>, flow: Flow): boolean {
  const asksOfEvent = (flow.needsSettlement?.(event) ?? flow.shippingSource?.(event) ?? null) !== null
  return asksOfEvent || ASKS.some((name) => flow[name] !== undefined)
}

export function ownContext(
  { delivery }: Claim,
  { channels, accounts }: Destination,
  { storeOf }: Pick<Sources, 'storeOf'>,
): CallContext {
  const { released } = delivery
  return { ...EMPTY_CONTEXT, channels, accounts, released, storeOf }
}

/** `kept`: links to store with a success. */
export async function resolveContext(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  signal: AbortSignal,
): Promise<{ known: CallContext; kept: Link[] }> {
  const { event, delivery } = claim
  const { name } = destination
  const { orders, settlements } = sources
  const applied = flow.applied?.(event, delivery)
  const { reported, paid, kept } = applied ? await readApplied(applied, name, sources) : NOTHING_APPLIED
  const beginnings = flow.prior?.(event, delivery) ?? []
  const prior = (await Promise.all(beginnings.map((one) => sources.effectsOf('delivered', one)))).flat()
  const notice = flow.needsNotice ? await noticeFor(event, name, sources) : null
  const number = flow.needsOrder ? (flow.orderOf?.(event) ?? null) : null
  const named = number === null ? null : { number, lines: readOrderUpdate(payloadOf(event))?.lines ?? [] }
  const order = named && (await readOrRetry('the order', () => orders.placed(named, event.receivedAt, signal)))
  const isSent = await sentOrFetched(event, flow, orders, signal)
  const articleName = await articleNameOf(
    flow.articleOf?.(event, { part: partOf(delivery.part) }) ?? null,
    order,
    orders,
    signal,
  )
  const which = flow.needsSettlement?.(event) ?? null
  const settlement = which === null ? null : await readOrRetry('the settlement', () => settlements(which, signal))
  return {
    known: {
      ...ownContext(claim, destination, sources),
      reported,
      paid,
      notice,
      prior,
      order,
      isSent,
      articleName,
      settlement,
    },
    kept,
  }
}

async function sentOrFetched(event: Claim['event'], flow: Flow, orders: OrderReader, signal: AbortSignal) {
  const whom = flow.shippingSource?.(event) ?? null
  const { number } = (whom && readOrderUpdate(payloadOf(event))) ?? {}
  if (number === undefined) return null
  const submitted = await orders.isSubmittedToShip(number)
  if (submitted !== null || whom === 'submissions') return submitted
  return await readOrRetry('the order', () => orders.isSentByRecord(number, event.receivedAt, signal))
}

/** Null: the key was destroyed. */
async function noticeFor(
  event: Pick<Claim['event'], 'body'>,
  destination: string,
  { links }: Pick<Sources, 'links'>,
): Promise<ErasedCustomer | null> {
  const { person, sealed } = payloadOf(event) as Notice
  const keys = await links(destination, NOTICE_KEYS.kind, [NOTICE_KEYS.id])
  const own = keys.map(({ theirId }) => readNamedKey(theirId)).find(({ pseudonym }) => pseudonym === person)
  const text = sealed[destination]
  return own === undefined || text === undefined ? null : openNotice(text, own.key)
}

async function articleNameOf(
  gtin: string | null,
  order: PlacedOrder | null,
  orders: Pick<OrderReader, 'articleName'>,
  signal: AbortSignal,
): Promise<string | null> {
  if (gtin === null || order === null) return null
  const said = order.lines.find((line) => isSameArticle(line.gtin, gtin))?.name
  return said ?? (await orders.articleName(gtin, signal).catch(() => null))
}

/** Before the call: the destination is not to blame for a failure. */
export async function readOrRetry<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome.type === 'held') throw error
    const why = outcome.type === 'delivered' ? '' : outcome.why
    throw new RetryLaterError(`${what} could not be read first: ${why}`, { code: UNREAD, cause: error })
  }
}

const UNREAD = 'unread'
const NOTHING_APPLIED: Applied = { reported: parseDecimal(0), paid: false, kept: [] }

export interface Applied {
  reported: Decimal
  paid: boolean
  kept: Link[]
}

/** The shop refunded: no other system may. */
const PAID = 'paid'
type Books = Pick<Storage, 'links' | 'effectsOf'>

/** Applied there: delivered, or skipped by an operator. A renamed line counts under both names. */
export async function readApplied(
  { kind, id, level, effects, article, ofNumber, pays }: AppliedQuantity,
  destination: string,
  { links, effectsOf }: Books,
): Promise<Applied> {
  const beginnings = ofNumber ? [effects, ofNumber.effects] : [effects]
  const skips = await Promise.all(
    beginnings.map(async (beginning) =>
      (await effectsOf('skipped', beginning)).flatMap((effect) => levelIn(effect.slice(beginning.length))),
    ),
  )
  const before = (await reportedOf(ofNumber ? [id, ofNumber.id] : [id])).values()
  const reported = [...before, ...skips.flat()].reduce(greater, ZERO)
  const names = article ? await namesOf(article) : []
  const all = article && isRenamed() ? await appliedByAllNames(article) : null
  const left = subtractDecimals(level, reported)
  const rest = article && all ? lesser(left, subtractDecimals(article.level, all)) : left
  return {
    reported: subtractDecimals(level, rest),
    paid: (await links(destination, PAID, [id])).length > 0,
    kept: [
      ...(pays ? [{ destination, kind: PAID, id, theirId: level, isLevel: true } as const] : []),
      { destination, kind, id, theirId: sumDecimals([reported, rest]), isLevel: true },
      ...(article ? keysOf(article).map((key) => aliasOf(article.of, key)) : []),
    ],
  }

  function aliasOf(of: string, key: string): Link {
    return { destination, kind: `${kind}-as`, id: of + key, theirId: id.slice(of.length), isLevel: true }
  }

  function isRenamed(): boolean {
    if (!article) return false
    const keys = new Set(article.keys)
    const gone = names.filter((name) => !keys.has(name))
    const own = keysOf(article)
    return gone.some((name) => own.includes(name)) || (gone.length > 0 && own.some((key) => id === article.of + key))
  }

  async function appliedByAllNames({ of, keys }: ArticleQuantity): Promise<Decimal> {
    const each = [...new Set([...names, ...keys])]
    const reported = await reportedOf(each.flatMap((name) => beginningsOf(of).map((beginning) => beginning + name)))
    const most = each.map((name) =>
      beginningsOf(of)
        .map((beginning) => reported.get(beginning + name) ?? ZERO)
        .reduce(greater),
    )
    return sumDecimals(most)
  }

  async function namesOf(all: ArticleQuantity): Promise<string[]> {
    const ids = beginningsOf(all.of).flatMap((beginning) => keysOf(all).map((key) => beginning + key))
    return [...new Set((await links(destination, `${kind}-as`, ids)).map(({ theirId }) => theirId))]
  }

  function beginningsOf(of: string): string[] {
    return ofNumber ? [of, ofNumber.of] : [of]
  }

  async function reportedOf(ids: readonly string[]): Promise<Map<string, Decimal>> {
    const most = new Map<string, Decimal>()
    for (let start = 0; start < ids.length; start += BATCH_SIZE)
      for (const link of await links(destination, kind, ids.slice(start, start + BATCH_SIZE)))
        most.set(link.id, greater(most.get(link.id) ?? ZERO, parseDecimal(link.theirId)))
    return most
  }
}

function keysOf({ key, others = [] }: ArticleQuantity): string[] {
  return [key, ...others]
}

function levelIn(part: string): Decimal[] {
  try {
    return [parseDecimal(decodeURIComponent(part))]
  } catch {
    return []
  }
}

function greater(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(b, a) > 0 ? b : a
}

function lesser(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(b, a) < 0 ? b : a
}

const ZERO = parseDecimal(0)
const BATCH_SIZE = 500
