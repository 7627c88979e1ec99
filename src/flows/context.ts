import { isSameArticle } from '../domain/catalogue/article-number.ts'
import type { Link } from '../domain/orders/link.ts'
import { NOTICE_KEYS, type Notice, openNotice, readNamedKey } from '../domain/privacy/notice.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import { outcomeOf } from '../domain/queue/outcome.ts'
import { RetryLaterError } from '../domain/values/errors.ts'
import {
  compareDecimals,
  type Decimal,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
  ZERO,
} from '../domain/values/money.ts'
import { readOrderUpdate } from '../platform/payloads/order-update.ts'
import type { CallContext, Guard, Guarded, GuardName, SettlementRef, Sources, Step } from './flow.ts'

/** Guards that tell a call what its event does not say. Their functions of an event are pure. */

type OfEvent<T> = (event: Event, step: Pick<Step, 'part'>) => T

function telling(
  name: GuardName,
  told: (step: Guarded, sources: Sources, signal: AbortSignal) => Promise<Partial<CallContext> | null>,
): Guard {
  return {
    name,
    async check(step, sources, signal) {
      const known = await told(step, sources, signal)
      return known && { known }
    },
  }
}

/** `reported`: how much of a cumulative quantity was sent there before; `paid`: the shop refunded it. */
export function remainingQuantity(quantityOf: OfEvent<AppliedQuantity | null>): Guard {
  return {
    name: 'remainingQuantity',
    async check(step, sources) {
      const quantity = quantityOf(step.event, step)
      if (quantity === null) return null
      const { reported, paid, kept } = await readApplied(quantity, step.delivery.destination, sources)
      return { known: { reported, paid }, kept }
    },
  }
}

/** `prior`: effects that begin so and were made. */
export function priorEffects(beginningsOf: OfEvent<readonly string[]>): Guard {
  return telling('priorEffects', async (step, { effectsOf }) => {
    const beginnings = beginningsOf(step.event, step)
    return { prior: (await Promise.all(beginnings.map((one) => effectsOf('delivered', one)))).flat() }
  })
}

/** `notice`: who is erased; null: the key was destroyed. */
export function erasureNotice(): Guard {
  return telling('erasureNotice', async ({ event, delivery: { destination } }, { links }) => {
    const { person, sealed } = payloadOf(event) as Notice
    const keys = await links(destination, NOTICE_KEYS.kind, [NOTICE_KEYS.id])
    const own = keys.map(({ theirId }) => readNamedKey(theirId)).find(({ pseudonym }) => pseudonym === person)
    const text = sealed[destination]
    return { notice: own === undefined || text === undefined ? null : openNotice(text, own.key) }
  })
}

/** `order`: as it was placed. */
export function placedOrder(numberOf: OfEvent<string | null>): Guard {
  return telling('placedOrder', async (step, { orders }, signal) => {
    const { event } = step
    const number = numberOf(event, step)
    if (number === null) return null
    const named = { number, lines: readOrderUpdate(payloadOf(event))?.lines ?? [] }
    return { order: await readOrRetry('the order', () => orders.placed(named, event.receivedAt, signal)) }
  })
}

/** `isSent`: is the order shipped, by who knows it; null: the event says it. */
export function shipping(sourceOf: OfEvent<'submissions' | 'anyone' | null>): Guard {
  return telling('shipping', async (step, { orders }, signal) => {
    const { event } = step
    const source = sourceOf(event, step)
    const { number } = (source && readOrderUpdate(payloadOf(event))) ?? {}
    if (number === undefined) return null
    const submitted = await orders.isSubmittedToShip(number)
    if (submitted !== null || source === 'submissions') return { isSent: submitted }
    return { isSent: await readOrRetry('the order', () => orders.isSentByRecord(number, event.receivedAt, signal)) }
  })
}

/** `articleName`: by the placed order, else by the platform. */
export function articleName(gtinOf: OfEvent<string | null>): Guard {
  return telling('articleName', async (step, { orders }, signal) => {
    const gtin = gtinOf(step.event, step)
    const { order } = step.known
    if (gtin === null || order === null) return null
    const said = order.lines.find((line) => isSameArticle(line.gtin, gtin))?.name
    return { articleName: said ?? (await orders.articleName(gtin, signal).catch(() => null)) }
  })
}

/** `settlement`: the platform's record, where the event names totals only. */
export function settlementRecord(refOf: OfEvent<SettlementRef | null>): Guard {
  return telling('settlementRecord', async (step, { settlements }, signal) => {
    const which = refOf(step.event, step)
    if (which === null) return null
    return { settlement: await readOrRetry('the settlement', () => settlements(which, signal)) }
  })
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

/** A cumulative quantity, stored as links of this kind and id. */
export interface AppliedQuantity {
  kind: string
  id: string
  level: Decimal
  /** The level follows. A skipped effect counts as applied. */
  effects: string
  article: ArticleQuantity | null
  pays?: true
  ofNumber?: { id: string; effects: string; of: string }
}

export interface ArticleQuantity {
  of: string
  key: string
  others?: readonly string[]
  keys: readonly string[]
  level: Decimal
}

export interface Applied {
  reported: Decimal
  paid: boolean
  kept: Link[]
}

/** The shop refunded: no other system may. */
const PAID = 'paid'

/** Applied there: delivered, or skipped by an operator. A renamed line counts under both names. */
export async function readApplied(
  { kind, id, level, effects, article, ofNumber, pays }: AppliedQuantity,
  destination: string,
  { links, effectsOf }: Pick<Sources, 'links' | 'effectsOf'>,
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

const BATCH_SIZE = 500
