import { hash } from 'node:crypto'
import type { Response } from 'express'
import { z } from 'zod'
import { isMap } from '../../../config/schema/schemas-at.ts'
import type { SubmittedStockCount, SubmittedStockLevel } from '../../../domain/catalogue/submitted.ts'
import { outcomeOf } from '../../../domain/queue/outcome.ts'
import { answerProblem } from '../../../lib/http/problem.ts'
import type { SlicedWork } from '../../../lib/semaphore.ts'
import { asideText } from '../../../platform/http/read.ts'
import type { Platform } from '../../../platform/platform.ts'
import {
  type Checked,
  check,
  compact,
  Decimal,
  Gtin,
  MOST_FAULTS,
  nothingPrivate,
  partOf,
  Text,
  Time,
} from '../fields.ts'
import {
  type Group,
  groupSchema,
  inPieces,
  type NamedStock,
  type Reading,
  type ReadingContext,
  type Resource,
  readGroup,
  readingOf,
  stockNamed,
  whichStock,
  writtenByAnother,
} from './resource.ts'

const description = { description: Text.nullish().describe('What the platform shows with the change.') }
const level = {
  gtin: Gtin,
  quantity: Decimal.describe('The new level: not a difference. The public API takes whole numbers only.'),
}

const StockLevel = z.strictObject({ ...whichStock, ...level, ...description })

/** Spec, "Stock adjustment", of some articles. */
const adjustment = {
  list: 'items',
  common: z.strictObject({
    ...whichStock,
    ...description,
    isCompleteStockCount: z.literal(false).nullish().describe('Some articles: the others stay as they are.'),
  }),
  each: z.strictObject(level),
} satisfies Group<z.ZodObject, z.ZodType>

const CountedLevel = z.strictObject(level)

/** Spec, "Stock adjustment", of all articles: those that are not in it become 0. */
const StockCount = z.strictObject({
  ...whichStock,
  ...description,
  isCompleteStockCount: z.literal(true).describe('All articles: those that are not in `items` become 0.'),
  stockCountTime: Time.describe('When the count began.'),
  items: z.array(CountedLevel).min(1).describe('Every article that is there.'),
  confirmation: z
    .string()
    .nullish()
    .describe('What a dry run answered: it names the articles that become 0, and is asked for before they do.'),
})

/** The count as a whole but for its articles. */
const StockCountShell = StockCount.extend({ items: z.array(z.unknown()).min(1) })

/** A complete count that was read, before what it would do is confirmed. */
export interface ReadCount {
  count: SubmittedStockCount
  confirmation: string | null
}

export const stockAdjustments: Resource = {
  scope: 'stock-adjustments',
  objects: [groupSchema(adjustment), StockCount, StockLevel],
  line: StockLevel,
  readObject(value, context) {
    if (isStockCount(value)) {
      const faults = ['a complete stock count stands alone: send it as the only object of its body']
      return [{ faults }]
    }
    if (!isMap(value) || !('items' in value)) return [readLevel(value, context)]
    return readGroup(adjustment, value, ({ isCompleteStockCount: _, ...common }, each) =>
      levelOf({ ...common, ...each }, context),
    )
  },
  readLine: readLevel,
}

/** Whether an object of a body is to be read as a complete count. */
export function isStockCount(value: unknown): boolean {
  return isMap(value) && value.isCompleteStockCount === true
}

/** Reads a count. Its articles are checked one by one, and others have their turn meanwhile: all of a store may be in it. */
export async function readStockCount(
  value: unknown,
  context: ReadingContext,
  work: SlicedWork,
): Promise<Checked<ReadCount>> {
  const checked = await checkCount(value, work)
  const named = partOf(StockCount, ['stockId', 'stockNo'], value)
  const stockId = named && stockOf(named, context)
  const wrongStock = stockId && 'faults' in stockId ? stockId.faults : []
  if ('faults' in checked) return { faults: [...checked.faults, ...wrongStock] }
  const { items, stockCountTime, confirmation } = checked.value
  const fractions = items.flatMap(({ quantity }, index) => inPieces(context, quantity, ['items', index, 'quantity']))
  const faults = [...wrongStock, ...twice(items), ...fractions]
  if (!stockId || 'faults' in stockId || faults.length > 0) return { faults }
  const count = {
    ...compact({ description: checked.value.description }),
    stockId: stockId.value,
    stockCountTime,
    items,
  } satisfies SubmittedStockCount
  return { value: { count, confirmation: confirmation ?? null } }
}

async function checkCount(value: unknown, work: SlicedWork): Promise<Checked<z.output<typeof StockCount>>> {
  const shell = check(StockCountShell, value, nothingPrivate, [], Number.POSITIVE_INFINITY)
  const faults = 'faults' in shell ? shell.faults : []
  const items: z.output<typeof CountedLevel>[] = []
  const written: unknown[] = isMap(value) && Array.isArray(value.items) ? value.items : []
  for (const [index, item] of written.entries()) {
    const checked = check(CountedLevel, item, nothingPrivate, ['items', index])
    if ('value' in checked) items.push(checked.value)
    else faults.push(...checked.faults)
    if (faults.length >= MOST_FAULTS) break
    if (work.isDue()) await work.next()
  }
  return 'faults' in shell || faults.length > 0 ? { faults } : { value: { ...shell.value, items } }
}

function readLevel(value: unknown, context: ReadingContext): Reading {
  const checked = check(StockLevel, value, nothingPrivate)
  if ('value' in checked) return levelOf(checked.value, context)
  const named = partOf(StockLevel, ['stockId', 'stockNo'], value)
  const stock = named && stockOf(named, context)
  return { faults: [...checked.faults, ...(stock && 'faults' in stock ? stock.faults : [])] }
}

function levelOf(read: z.output<typeof StockLevel>, context: ReadingContext): Reading {
  const broken = inPieces(context, read.quantity, ['quantity'])
  if (broken.length > 0) return { faults: broken }
  return readingOf(stockOf(read, context), (stockId) => ({
    kind: 'StockLevelSubmitted',
    payload: {
      ...compact({ description: read.description }),
      stockId,
      gtin: read.gtin,
      quantity: read.quantity,
    } satisfies SubmittedStockLevel,
  }))
}

function stockOf(named: NamedStock, context: ReadingContext): Checked<string> {
  const stock = stockNamed(named, context.stores)
  if ('faults' in stock) return stock
  const faults = writtenByAnother(stock.value, [named.stockId ? 'stockId' : 'stockNo'], context)
  return faults.length > 0 ? { faults } : stock
}

function twice(items: readonly { gtin: string }[]): string[] {
  const first = new Map<string, number>()
  return items.flatMap(({ gtin }, index) => {
    const before = first.get(gtin)
    if (before === undefined) first.set(gtin, index)
    return before === undefined ? [] : [`items[${index}].gtin: the same as items[${before}], expected each GTIN once`]
  })
}

/** The effect that a complete count would have, as the platform stands now. */
export interface CountEffect {
  /** Articles of the stock that are not in the count, and are not 0 yet; by GTIN. */
  wouldBecomeZero: { gtin: string; quantity: string }[]
  /** Stands for the count and for that list: given with the count, it says that somebody has seen it. */
  confirmation: string
}

/** The platform could not say what a count would do. */
export class NotAskableError extends Error {
  override name = 'NotAskableError'
}

/** Asks the platform for the levels of the stock. Throws a NotAskableError. */
export async function effectOf(count: SubmittedStockCount, platform: Platform | null): Promise<CountEffect> {
  if (!platform) throw new NotAskableError('The hub has no platform.baseUrl, so it cannot ask for the levels.')
  const { rows, aside } = await platform.stock.levels({ stockIds: [count.stockId] }).catch((error: unknown) => {
    const outcome = outcomeOf(error)
    const why = 'why' in outcome ? outcome.why : ''
    throw new NotAskableError(`The platform did not tell the levels of stock ${count.stockId}: ${why}`, {
      cause: error,
    })
  })
  const counted = new Set(count.items.map(({ gtin }) => gtin))
  const unreadable = asideText(aside)
  if (unreadable !== null)
    throw new NotAskableError(
      `What the platform told of stock ${count.stockId} does not say all that would become 0: ${unreadable}.`,
    )
  const wouldBecomeZero = rows
    .filter(({ id, quantity }) => quantity !== '0' && !counted.has(id.trim()))
    .map(({ id, quantity }) => ({ gtin: id.trim(), quantity }))
    .sort((a, b) => (a.gtin < b.gtin ? -1 : 1))
  return { wouldBecomeZero, confirmation: confirmationOf(count, wouldBecomeZero) }
}

/** The levels themselves are not part of it: a sale during the count changes nothing about which articles become 0. */
function confirmationOf(
  { stockId, stockCountTime, items }: SubmittedStockCount,
  wouldBecomeZero: CountEffect['wouldBecomeZero'],
): string {
  const zero = wouldBecomeZero.map(({ gtin }) => gtin)
  return hash('sha256', JSON.stringify([stockId, stockCountTime, items, zero])).slice(0, 32)
}

/** The answer to a dry run. */
export function answerEffect(response: Response, { wouldBecomeZero, confirmation }: CountEffect): void {
  response.json({ dryRun: true, wouldBecomeZero, count: wouldBecomeZero.length, confirmation })
}

/** The answer to an outdated confirmation. Nothing was taken: what would become 0 is not what was confirmed. */
export function answerOutdated(response: Response, { wouldBecomeZero, confirmation }: CountEffect): void {
  answerProblem(response, {
    status: 409,
    code: 'confirmation-outdated',
    title: 'Something else would become 0 now',
    detail:
      'The confirmation is not for this count and the articles that would become 0 now. Nothing was taken. Look at the ' +
      'new list, and send the count again with its confirmation.',
    more: { wouldBecomeZero, count: wouldBecomeZero.length, confirmation },
  })
}

/** The answer where the platform cannot be asked. Nothing was taken; the same may work later. */
export function answerNotAskable(response: Response, error: NotAskableError): void {
  answerProblem(response, {
    status: 503,
    code: 'platform-unavailable',
    title: 'The platform cannot be asked now',
    detail: error.message,
    retryAfter: 30,
  })
}
