import { spellingsOf } from '../../domain/catalogue/article-number.ts'
import { availabilityOf, type Channel, type StockState } from '../../domain/catalogue/channel.ts'
import type { StockDifference } from '../../domain/catalogue/stock-difference.ts'
import { keyPart } from '../../domain/queue/event.ts'
import { type Decimal, parseDecimal } from '../../domain/values/money.ts'
import { publishStock } from '../../flows/publish-stock.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import type { AskedShop, ReconcileOptions } from './reconcile-options.ts'

/** How long a shop may take for a page (milliseconds). */
const PATIENCE = 60_000

/** What the comparison with a shop found, and which of its levels it could not read. */
export interface ComparedLevels {
  differences: StockDifference[]
  unread: string[]
}

/** The levels of a shop at one of its locations, against what can be sold from there. Articles that it does not have are left out. */
export async function compareShop(
  options: ReconcileOptions,
  shop: AskedShop,
  location: string,
  run: string,
  signal: AbortSignal,
): Promise<ComparedLevels> {
  const { stockOf, clock } = options
  const channel = shop.channels[location]
  if (!channel) return { differences: [], unread: [] }
  const gtins = await gtinsBySku(options, channel)
  const [found, unread]: [StockDifference[], string[]] = [[], []]
  for (let page: string | null = null; ; ) {
    const question = { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) }
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
      if (!stock || gtin === undefined || right === null || isSame(right, level)) continue
      const why = await causeOf(options, shop.name, location, gtin, level, channel, stock.stocks)
      const of = { destination: shop.name, location }
      const readAt = clock.now()
      found.push({ run, of, gtin, sku, right, found: level, ...why, readAt, state: 'proposed', approved: null })
    }
    if (next === null) return { differences: found, unread }
    page = next
  }

  /** The article as it is written, else those that the platform writes with other zeros before it. */
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

/** Many shops count whole pieces: of 3.9 they have 3. */
function isSame(right: Decimal, level: Decimal): boolean {
  return right === level || right.split('.')[0] === level
}

/** A shop may know its articles by SKU alone. */
async function gtinsBySku({ store }: ReconcileOptions, { stocks }: Channel): Promise<Map<string, string>> {
  const gtins = new Map<string, string>()
  for (const place of stocks)
    for await (const rows of mirrorPages(store, { set: 'stock', place }))
      for (const { article, body } of rows)
        if (article !== null && typeof body.sku === 'string') gtins.set(body.sku, article)
  return gtins
}

async function causeOf(
  { store }: ReconcileOptions,
  destination: string,
  location: string,
  gtin: string,
  found: Decimal,
  channel: Channel,
  stocks: readonly StockState[],
): Promise<Pick<StockDifference, 'cause' | 'detail'>> {
  const entity = `available:${keyPart(location)}:${keyPart(gtin)}`
  const last = await store.levelStanding(destination, publishStock.name, entity)
  if (!last) return { cause: 'missed-event', detail: 'it was never told' }
  if (last.state === 'waiting' || last.state === 'claimed')
    return { cause: 'in-transit', detail: `delivery ${last.delivery} waits` }
  if (last.state === 'dead' || last.state === 'held' || last.state === 'skipped')
    return { cause: 'missed-event', detail: `delivery ${last.delivery} is ${last.state}` }
  const unreserved = stocks.map((state) => ({ ...state, reserved: NONE }))
  if (availabilityOf(channel, unreserved) === found)
    return { cause: 'open-reservation', detail: 'it has what is kept for somebody as well' }
  return { cause: 'unknown', detail: 'it was told: it may count by itself' }
}

const NONE = parseDecimal(0)
