import { z } from 'zod'
import { isMap } from '../../config/path.ts'
import type { SubmittedStockCount, SubmittedStockLevel } from '../../domain/submitted.ts'
import { createBreath } from './breath.ts'
import { type Checked, check, fault, MOST_FAULTS, partOf } from './faults.ts'
import { compact, Decimal, Gtin, Id, Name, Text, Time } from './fields.ts'
import { type Group, groupSchema, readGroup } from './grouped.ts'
import { type Reading, type ReadingContext, type Resource, readingOf } from './resource.ts'

const which = {
  stockId: Id.nullish().describe("The platform's id of the stock."),
  stockNo: Name.nullish().describe('The number of the store whose stock it is.'),
}

const ONE_STOCK = 'exactly one of stockId and stockNo'

const description = { description: Text.nullish() }
const level = { gtin: Gtin, quantity: Decimal.describe('The new level: not a difference.') }

const StockLevel = z.strictObject({ ...which, ...level, ...description })

/** Spec, "Stock adjustment", of some articles. */
const adjustment = {
  list: 'items',
  common: z.strictObject({ ...which, ...description, isCompleteStockCount: z.literal(false).nullish() }),
  each: z.strictObject(level),
} satisfies Group<z.ZodObject, z.ZodType>

const CountedLevel = z.strictObject(level)

/** Spec, "Stock adjustment", of all articles: those that are not in it become 0. */
const StockCount = z.strictObject({
  ...which,
  ...description,
  isCompleteStockCount: z.literal(true),
  stockCountTime: Time.describe('When the count began.'),
  items: z.array(CountedLevel).min(1),
  confirmation: z
    .string()
    .nullish()
    .describe('What a dry run answered: it names the articles that become 0, and is asked for before they do.'),
})

/** All of it but its articles. */
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

/** Its articles are checked one by one, and others have their turn meanwhile: all of a store may be in it. */
export async function readStockCount(value: unknown, context: ReadingContext): Promise<Checked<ReadCount>> {
  const checked = await checkCount(value)
  const named = partOf(StockCount, ['stockId', 'stockNo'], value)
  const stockId = named && stockOf(named, context)
  const wrongStock = stockId && 'faults' in stockId ? stockId.faults : []
  if ('faults' in checked) return { faults: [...checked.faults, ...wrongStock] }
  const { items, stockCountTime, confirmation } = checked.value
  const faults = [...wrongStock, ...twice(items)]
  if (!stockId || 'faults' in stockId || faults.length > 0) return { faults }
  const count = {
    ...compact({ description: checked.value.description }),
    stockId: stockId.value,
    stockCountTime,
    items,
  } satisfies SubmittedStockCount
  return { value: { count, confirmation: confirmation ?? null } }
}

async function checkCount(value: unknown): Promise<Checked<z.output<typeof StockCount>>> {
  const shell = check(StockCountShell, value, () => false, [], Number.POSITIVE_INFINITY)
  const faults = 'faults' in shell ? shell.faults : []
  const items: z.output<typeof CountedLevel>[] = []
  const breathe = createBreath()
  const written: unknown[] = isMap(value) && Array.isArray(value.items) ? value.items : []
  for (const [index, item] of written.entries()) {
    const checked = check(CountedLevel, item, () => false, ['items', index])
    if ('value' in checked) items.push(checked.value)
    else faults.push(...checked.faults)
    if (faults.length >= MOST_FAULTS) break
    if (breathe.isDue()) await breathe.now()
  }
  return 'faults' in shell || faults.length > 0 ? { faults } : { value: { ...shell.value, items } }
}

function readLevel(value: unknown, context: ReadingContext): Reading {
  const checked = check(StockLevel, value, () => false)
  if ('value' in checked) return levelOf(checked.value, context)
  const named = partOf(StockLevel, ['stockId', 'stockNo'], value)
  const stock = named && stockOf(named, context)
  return { faults: [...checked.faults, ...(stock && 'faults' in stock ? stock.faults : [])] }
}

function levelOf(read: z.output<typeof StockLevel>, context: ReadingContext): Reading {
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

/** A stock has one writer: what two systems say of one level is nobody's truth. */
function stockOf(named: WrittenStock, { stores, system, stockWriters }: ReadingContext): Checked<string> {
  const stock = idOf(named, stores)
  const writer = 'value' in stock ? stockWriters?.[stock.value] : undefined
  if (writer === undefined || writer === system) return stock
  const expected = `levels of it from ${writer} alone (platform.stockWriters in config)`
  return { faults: [fault([named.stockId ? 'stockId' : 'stockNo'], 'a stock that another system writes', expected)] }
}

interface WrittenStock {
  stockId?: string | null | undefined
  stockNo?: string | null | undefined
}

/** A stock may be without a store (that of the online shop), so an id is taken as it is. */
function idOf({ stockId, stockNo }: WrittenStock, stores: ReadingContext['stores']): Checked<string> {
  if (stockId && !stockNo) return { value: stockId }
  if (!stockNo || stockId) return { faults: [`found ${stockId ? 'both' : 'neither'}, expected ${ONE_STOCK}`] }
  const store = stores.byNumber(stockNo, ['stockNo'])
  if ('faults' in store) return store
  if (store.value.stockId !== null) return { value: store.value.stockId }
  return { faults: [fault(['stockNo'], JSON.stringify(stockNo), 'a store that has a stock; give the stockId')] }
}

/** Of two levels for one GTIN nobody knows which would hold. */
function twice(items: readonly { gtin: string }[]): string[] {
  const first = new Map<string, number>()
  return items.flatMap(({ gtin }, index) => {
    const before = first.get(gtin)
    if (before === undefined) first.set(gtin, index)
    return before === undefined ? [] : [`items[${index}].gtin: the same as items[${before}], expected each GTIN once`]
  })
}
