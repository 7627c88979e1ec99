import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import type { Effects } from './reconcile.ts'
import type { Settled } from './settle.ts'
import type { World } from './world.ts'

/** The same of the books: what POS and stores did, and what the ERP's files and the hub's own copy say. */
export async function countBooks(world: World, settled: readonly Settled[]): Promise<Effects[]> {
  const { platform, bus, erp } = world
  const key = await readingKey(world)
  const lines = await itemsOf<Line>(world, key, 'sales-lines')
  const levels = await itemsOf<Level>(world, key, 'stock')
  const sold = platform.posLog().filter(({ what }) => what === 'sale' || what === 'endless-aisle')
  // Events in words that nobody shows are held (count-held.ts); the settlements of a day are pulled when it is over.
  const imported = platform.isShown('SaleExternalCreated') ? platform.importedOrders() : []
  const pushed = platform.isShown('POSSettlementCreated') ? settled : []
  const moved = new Set(bus.events().flatMap(({ kind, body }) => (kind === MOVED ? locationOf(body.toString()) : [])))
  return [
    {
      name: 'sales booked in the ERP',
      expected: [
        ...sold.map(({ storeNo, receiptNo, total }) => `${storeNo}/${receiptNo} ${total}`),
        ...imported.map(({ orderNo, total }) => `101/${orderNo} ${total}`),
      ],
      counted: filesOf<Sale>(erp, 'sale').map(({ storeNo, sale: { receiptNo, total } }) => {
        return `${storeNo}/${receiptNo} ${Number(total.amount).toFixed(2)}`
      }),
    },
    {
      name: 'settlements that balance',
      expected: pushed.map(({ settlementId, total, currency }) => `${settlementId} ${total} ${currency} 0.00`),
      counted: filesOf<Settlement>(erp, 'settlement').map(({ settlement: { settlementId, grandTotal }, journal }) => {
        const balance = cents(journal.lines.map(({ amount }) => amount.amount))
        return `${settlementId} ${toText(cents([grandTotal.amount]))} ${grandTotal.currency} ${toText(balance)}`
      }),
    },
    {
      name: 'revenue, sales lines and POS',
      expected: sums([
        ...settled.map(({ currency, total }) => [currency, total] as const),
        ...platform.importedOrders().map(({ total }) => ['NOK', total] as const),
      ]),
      counted: sums(lines.map(({ currency, revenue }) => [currency, revenue] as const)),
    },
    {
      name: 'stock levels, mirror and platform',
      expected: await levelsAt(world, moved),
      counted: levels.map(({ stockId, gtin, level }) => `${stockId}/${gtin} ${level}`),
    },
  ]
}

const MOVED = 'StockMovementCreated'

interface Line {
  currency: string
  revenue: string
}

interface Level {
  stockId: string
  gtin: string
  level: string
}

interface Money {
  amount: string
  currency: string
}

interface Sale {
  storeNo: string
  sale: { receiptNo: string; total: Money }
}

interface Settlement {
  settlement: { settlementId: string; grandTotal: Money }
  journal: { lines: { amount: Money }[] }
}

/** The records of a kind in the ERP's folder. */
function filesOf<T>(folder: string, kind: string): T[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`))
  return names.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T[])
}

async function readingKey({ hub }: World): Promise<string> {
  return (await hub.admin<{ key: string }>('keys', { system: 'demo', may: 'read:*' })).key
}

/** Everything that the hub's own copy has of a set. */
async function itemsOf<T>({ hub }: World, key: string, set: string): Promise<T[]> {
  const { body } = await request(`${hub.url}/v1/${set}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  })
  const lines = (await body.text()).trim().split('\n')
  return lines.map((line) => JSON.parse(line)).filter((item) => item.end !== true)
}

/** The platform's own levels of these. */
async function levelsAt({ platform, keys }: World, places: ReadonlySet<string>): Promise<string[]> {
  const stockIds = [...new Set([...places].map((place) => Number(place.split('/')[0])))]
  const { body } = await request(`${platform.apiUrl}/api/Stock`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': keys.PLATFORM_API_KEY,
      'Ocp-Apim-Subscription-Key': keys.PLATFORM_SUBSCRIPTION_KEY,
    },
    body: JSON.stringify({ stockIds, useGTIN: true }),
  })
  const rows = (await body.json()) as { id: string; stockId: number; quantity: number }[]
  return rows
    .filter(({ id, stockId }) => places.has(`${stockId}/${id}`))
    .map(({ id, stockId, quantity }) => `${stockId}/${id} ${quantity}`)
}

function locationOf(body: string): string {
  const { stockId, gtin } = JSON.parse(body) as { stockId: number; gtin: string }
  return `${stockId}/${gtin}`
}

/** One line a currency. */
function sums(amounts: readonly (readonly [currency: string, amount: string])[]): string[] {
  const byCurrency = Map.groupBy(amounts, ([currency]) => currency)
  return [...byCurrency].map(([currency, all]) => `${currency} ${toText(cents(all.map(([, amount]) => amount)))}`)
}

function cents(amounts: readonly string[]): number {
  return amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0)
}

function toText(hundredths: number): string {
  return (hundredths / 100).toFixed(2)
}
