import { spellingsOf } from '../domain/catalogue/article-number.ts'
import { availabilityOf, type Channel, type Channels, type StockState } from '../domain/catalogue/channel.ts'
import type { StockDifference } from '../domain/catalogue/finding.ts'
import { type LevelRead, levelIn, stockKey } from '../domain/catalogue/mirror.ts'
import { keyPart } from '../domain/queue/event.ts'
import { PermanentError, RetryLaterError } from '../domain/values/errors.ts'
import { type Decimal, ZERO } from '../domain/values/money.ts'
import { countTexts, pluralize, someOf } from '../domain/values/text.ts'
import { publishStock } from '../flows/publish.ts'
import type { Correct } from '../ingest/corrections.ts'
import type { Clock } from '../lib/clock.ts'
import { chunksOf } from '../lib/collections.ts'
import type { Logger } from '../lib/logger.ts'
import type { Unreadable } from '../platform/http/read.ts'
import type { Platform } from '../platform/platform.ts'
import { stockNow } from '../platform/resources/stock.ts'
import type { StockPort } from '../ports/ports.ts'
import type { StockOf } from '../storage/article-stock.ts'
import type { Storage } from '../storage/storage.ts'
import { mirrorByKey, mirrorPages } from '../storage/walk-pages.ts'
import type { HubJob } from './engine/job.ts'
import { goOn, NO_ROUND, presentStocks, Round, rejectedNote, runSequentially, throwIfFailed } from './pulls/days.ts'
import type { Ingest } from './pulls/ingest.ts'

/** Compares platform, mirror and shops (spec, Stock 2 and 4); the platform is right. Few differences are corrected, many proposed. */
export function reconcileStockJob(options: ReconcileOptions): HubJob {
  const { storage, correct, shops, cap, clock, logger } = options
  return {
    name: 'reconcile-stock',
    async run({ signal }) {
      const run = new Date(clock.now()).toISOString().slice(0, 19)
      const stocks = await stocksToRead(options)
      const found: StockDifference[] = []
      const places: Compared[] = [
        ...stocks.map((stockId) => ({
          name: `stock ${stockId}`,
          compare: () => compareStock(options, stockId, run, signal),
        })),
        ...shops.flatMap((shop) =>
          Object.entries(shop.channels).map(([location, channel]) => ({
            name: `${shop.name}, ${location}`,
            compare: () => compareShop(options, shop, { location, channel }, run, signal),
          })),
        ),
      ]
      const failed = await runSequentially(places, signal, async ({ compare }) => {
        const { differences, unread } = await compare()
        for (const difference of differences) found.push(difference)
        await storage.saveFindings(
          differences.map((says) => ({ type: 'keep', finding: { sort: 'stock-difference', says } })),
        )
        if (unread.length === 0) return
        const text = `${pluralize(unread.length, 'level')} cannot be read: ${someOf(unread, NAMED)}`
        throw new PermanentError(text, { code: 'levels-unread' })
      })
      const open = found.filter(({ cause }) => cause !== 'in-transit')
      const few = open.length <= cap
      if (few) await correct(open, null)
      else logger.error({ run, differences: open.length, cap }, 'stock.differences-wait-for-approval')
      const note = summaryOf(run, found, few)
      throwIfFailed(failed, ({ name }) => name, note)
      return { note }
    },
  }
}

interface Compared {
  name: string
  compare(): Promise<{ differences: StockDifference[]; unread: readonly string[] }>
}

const NAMED = 5

function summaryOf(run: string, found: readonly StockDifference[], few: boolean): string {
  if (found.length === 0) return 'no differences'
  const byCause = Map.groupBy(found, ({ cause }) => cause)
  const causes = [...byCause].map(([cause, all]) => `${all.length} ${cause}`).join(', ')
  const done = few ? 'corrected' : `not corrected: look at "stock differences", then "stock approve ${run}"`
  return `${pluralize(found.length, 'difference')} (${causes}), ${done}`
}

/** Per page of a shop (ms). */
const TIMEOUT_MS = 60_000

/** Articles that a shop does not have are left out. */
async function compareShop(
  options: ReconcileOptions,
  shop: AskedShop,
  { location, channel }: { location: string; channel: Channel },
  run: string,
  signal: AbortSignal,
): ReturnType<Compared['compare']> {
  const { stockOf, clock } = options
  const gtins = await gtinsBySku(options, channel)
  const [found, unread]: [StockDifference[], string[]] = [[], []]
  for (let page: string | null = null; ; ) {
    const question = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) }
    const { levels, next, unread: bad = [] } = await shop.readLevels(location, page, question)
    for (const one of bad) unread.push(one)
    for (const { gtin: own, sku, level } of levels) {
      // A SKU may be the GTIN itself.
      const said = own ?? (sku === null ? undefined : (gtins.get(sku) ?? sku))
      const known = said === undefined ? [] : await knownAs(said)
      if (known.length > 1)
        unread.push(`${said}, which is ${known.map((one) => one.gtin).join(' or ')} of the platform`)
      const [{ gtin, stock } = { gtin: undefined, stock: null }] = known.length === 1 ? known : []
      const right = stock && availabilityOf(channel, stock.stocks)
      // Many shops count whole pieces: of 3.9 they have 3.
      if (!stock || gtin === undefined || right === null || right === level || right.split('.')[0] === level) continue
      const of = { destination: shop.name, location }
      const why = await causeOf(options, of, gtin, level, channel, stock.stocks)
      const readAt = clock.now()
      found.push({ run, of, gtin, sku, right, found: level, ...why, readAt, state: 'proposed', approved: null })
    }
    if (next === null) return { differences: found, unread }
    page = next
  }

  /** As written, else with other leading zeros. */
  async function knownAs(said: string) {
    const all = []
    for (const gtin of spellingsOf(said)) {
      const stock = await stockOf(gtin)
      if (stock) all.push({ gtin, stock })
      if (stock && gtin === said) break
    }
    return all
  }
}

/** A shop may know its articles by SKU alone. */
async function gtinsBySku({ storage }: ReconcileOptions, { stocks }: Channel): Promise<Map<string, string>> {
  const gtins = new Map<string, string>()
  for (const place of stocks)
    for await (const rows of mirrorPages(storage, { set: 'stock', place }))
      for (const { article, body } of rows)
        if (article !== null && typeof body.sku === 'string') gtins.set(body.sku, article)
  return gtins
}

async function causeOf(
  { storage }: ReconcileOptions,
  { destination, location }: { destination: string; location: string },
  gtin: string,
  found: Decimal,
  channel: Channel,
  stocks: readonly StockState[],
): Promise<Pick<StockDifference, 'cause' | 'detail'>> {
  const entity = `available:${keyPart(location)}:${keyPart(gtin)}`
  const last = await storage.levelState(destination, publishStock.name, entity)
  if (!last) return { cause: 'missed-event', detail: 'it was never told' }
  if (last.state === 'waiting' || last.state === 'claimed')
    return { cause: 'in-transit', detail: `delivery ${last.delivery} waits` }
  if (last.state === 'dead' || last.state === 'held' || last.state === 'skipped')
    return { cause: 'missed-event', detail: `delivery ${last.delivery} is ${last.state}` }
  const unreserved = stocks.map((state) => ({ ...state, reserved: ZERO }))
  if (availabilityOf(channel, unreserved) === found)
    return { cause: 'open-reservation', detail: 'it has what is kept for somebody as well' }
  return { cause: 'unknown', detail: 'it was told: it may count by itself' }
}

const ROWS_PER_READ = 500

async function compareStock(
  options: ReconcileOptions,
  stockId: string,
  run: string,
  signal: AbortSignal,
): ReturnType<Compared['compare']> {
  const { platform, storage, clock } = options
  const readAt = clock.now()
  const isNew = (await storage.mirrorPage({ set: 'stock', place: stockId }, null, 1)).length === 0
  if (isNew) return { differences: [], unread: [] }
  const { rows, suspect } = await stockNow(platform, stockId, signal)
  if (suspect) throw new RetryLaterError(`the platform lists nothing for stock ${stockId}`, { code: 'suspect' })
  const levels = new Map(rows.flatMap(({ gtin, quantity }) => (gtin === null ? [] : [[gtin, quantity] as const])))
  const found: StockDifference[] = []
  for (const some of chunksOf([...levels], ROWS_PER_READ)) {
    signal.throwIfAborted()
    const keys = some.map(([gtin]) => stockKey(stockId, gtin))
    const mirrored = await mirrorByKey(storage, 'stock', keys)
    for (const [gtin, right] of some) {
      const row = mirrored.get(stockKey(stockId, gtin))
      const level = row ? levelIn(row) : ZERO
      if (level === right) continue
      // It has moved since the platform was asked.
      const cause = !row ? 'missed-event' : row.version > readAt ? 'in-transit' : 'unknown'
      const sku = (row?.body.sku as string | undefined) ?? null
      const detail = row ? null : 'the mirror never had it'
      found.push({ run, of: { stockId }, gtin, sku, right, found: level, cause, ...NEW, detail, readAt })
    }
  }
  return { differences: found, unread: [] }
}

const NEW = { state: 'proposed', approved: null } as const

export interface ReconcileOptions {
  platform: Pick<Platform, 'stockStatus' | 'stock' | 'operations'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage' | 'saveFindings' | 'levelState' | 'now'>
  correct: Correct
  shops: readonly AskedShop[]
  soldFrom: readonly string[]
  stockOf: StockOf
  /** Most differences that are corrected without an operator. */
  cap: number
  clock: Pick<Clock, 'now'>
  logger: Logger
}

interface AskedShop {
  name: string
  channels: Channels
  readLevels: NonNullable<StockPort['readLevels']>
}

/** Reads the levels of all stocks (spec, Stock 4); a round that is cut off continues. */
export function stockLevelsJob(options: StockOptions): HubJob {
  return {
    name: 'stock-levels',
    async run({ now, signal, state: left, save }) {
      const round = goOn(Round.parse(left), now)
      const counts = { stocks: 0, rows: 0, changed: 0, suspect: 0, rejected: 0 }
      const stocks = (await stocksToRead(options)).filter((stockId) => !round.done.includes(stockId))

      const failed = await runSequentially(stocks, signal, async (stockId) => {
        const { rows, rejected, changed, suspect } = await readStock(options, stockId, signal)
        counts.stocks += 1
        counts.rows += rows
        counts.changed += changed
        counts.rejected += rejected.length
        if (suspect) counts.suspect += 1
        round.done.push(stockId)
        await save(round)
      })

      const read = [pluralize(counts.rows, 'row'), pluralize(counts.changed, 'other level')]
      const parts = [...read, ...countTexts({ 'suspiciously empty': counts.suspect })]
      const note = `${pluralize(counts.stocks, 'stock')}: ${parts.join(', ')}${rejectedNote(counts.rejected)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: NO_ROUND, note }
    },
  }
}

interface StockOptions {
  platform: Pick<Platform, 'stock'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage'>
  ingest: Pick<Ingest, 'announce'>
  soldFrom: readonly string[]
  clock: Pick<Clock, 'now'>
  logger: Logger
}

const SECOND = 1_000

/** A stock with so many rows is not empty all at once. */
const MANY = 10

async function stocksToRead({ storage, soldFrom }: Pick<StockOptions, 'storage' | 'soldFrom'>): Promise<string[]> {
  return [...new Set([...soldFrom, ...presentStocks(await storage.stores())])]
}

/** `suspect`: an empty answer, though the mirror has many. */
async function readStock(
  { platform, storage, ingest, clock, logger }: StockOptions,
  stockId: string,
  signal: AbortSignal,
): Promise<{ rows: number; changed: number; rejected: readonly Unreadable[]; suspect: boolean }> {
  // Movements may be timed to the second: one of the same second must not look older.
  const readAt = Math.floor(clock.now() / SECOND) * SECOND
  const { rows, rejected } = await platform.stock.levels({ stockIds: [stockId] }, signal)
  // Two rows for one GTIN: always the last, else they would alternate.
  const levels = new Map(rows.map(({ id, quantity }) => [id, quantity]))
  const mirrored = async () => await storage.mirrorPage({ set: 'stock', place: stockId }, null, MANY)
  if (levels.size === 0 && (await mirrored()).length === MANY) {
    logger.warn({ stockId }, 'stock.suspect')
    return { rows: 0, rejected, changed: 0, suspect: true }
  }
  let changed = 0
  for (const some of chunksOf([...levels], ROWS_PER_READ)) {
    signal.throwIfAborted()
    const keys = some.map(([gtin]) => stockKey(stockId, gtin))
    const known = await mirrorByKey(storage, 'stock', keys)
    const others = some.filter(([gtin, level]) => {
      const row = known.get(stockKey(stockId, gtin))
      return row === undefined || levelIn(row) !== level
    })
    const read = others.map(([gtin, level]): LevelRead => ({ stockId, gtin, sku: null, level, readAt }))
    await ingest.announce('StockLevelRead', read)
    changed += others.length
  }
  return { rows: levels.size, rejected, changed, suspect: false }
}
