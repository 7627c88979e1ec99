import { readFileSync } from 'node:fs'
import { request } from 'undici'
import { expect } from 'vitest'
import { countEffects } from '../../../../sandbox/demo/count.ts'
import { countBooks } from '../../../../sandbox/demo/count-books.ts'
import { type Effects, type Row, reconcile } from '../../../../sandbox/demo/reconcile.ts'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import type { CompletenessResult } from '../../../../src/storage/read-completeness.ts'
import { asking } from '../../../cli/run.ts'
import { WEBHOOK_TOKEN } from '../../../hub.ts'
import { HOUR } from '../../kit.ts'
import { comeToRest, type Plan, type Played, play } from './play.ts'
import { OPEN_STORES } from './trade.ts'
import { startWorldAtSpeed, UNLISTED, type WorldAtSpeed } from './world-at-speed.ts'

const MONDAY = '2026-11-16T08:00:00Z'

/** How far behind now the last proof may be: as late as events were, and a scan (milliseconds). */
const BEHIND = 3 * HOUR

/**
 * Plays days on a bad source, kills the hub, has it off for a day of which the log expires two hours; and proves at the end that all is
 * here, once, by the sandbox's own books. `TILLBRIDGE_SEED` repeats a run.
 */
export async function playAndProve(dialect: DialectName, plan: Omit<Plan, 'seed'>): Promise<void> {
  const seed = Number(process.env.TILLBRIDGE_SEED ?? Date.now() % 1_000_000)
  // A run that is cut off is to be repeated, too.
  process.stdout.write(`${dialect}: TILLBRIDGE_SEED=${seed}\n`)
  await using world = await startWorldAtSpeed(dialect, MONDAY, seed)
  const played = await play(world, { ...plan, seed })
  await comeToRest(world)
  expect(played.falsely, `seed ${seed}`).toEqual([])

  await sentAgain(world, played)
  await comeToRest(world)
  const left = await gapsIn(world, 'open')
  const forAPerson = plan.offFrom === null ? [] : UNLISTED.map((kind) => `not-looked-at ${kind}`)
  expect(left.map(({ cause, kind }) => `${cause} ${kind}`).sort(), `seed ${seed}`).toEqual(forAPerson.sort())
  const explained = await explainExpired(world)
  const released = await releaseOrders(world)
  await comeToRest(world)

  await allIsProven(world, played.closedAt, seed)
  const { rows, wrong, held } = await countAll(world, played)
  const reported = { dialect, seed, kills: played.kills, explained, released, held: held.length }
  process.stdout.write(
    `${JSON.stringify({ ...reported, rows: rows.map(({ name, counted, copies }) => [name, counted, copies]) })}\n`,
  )
  expect(wrong, `seed ${seed}`).toEqual([])
  const { destinations } = await world.hub.admin<{ destinations: { name: string; dead: number; held: number }[] }>(
    'status',
  )
  expect(destinations.filter(({ name, dead, held: waits }) => dead > 0 || (waits > 0 && name !== 'erp'))).toEqual([])
  expect(readFileSync(world.hub.log, 'utf8')).not.toContain('watermark.went-back')
}

/** No gap is open, `complete` says so, and every watermark is at now; those of POS behind their last close. */
async function allIsProven(world: WorldAtSpeed, closedAt: number, seed: number): Promise<void> {
  const { code, out } = await asking(world.hub)('complete', '--json')
  const { verdict, watermarks } = JSON.parse(out) as CompletenessResult
  expect({ open: await gapsIn(world, 'open'), code, verdict }, `seed ${seed}: ${out}`).toEqual({
    ...{ open: [], code: 0, verdict: 'proven' },
  })
  const behind = watermarks.filter(({ level, until }) =>
    level === 'pos' ? until < Math.floor(closedAt / 1_000) * 1_000 : until < world.clock.now() - BEHIND,
  )
  expect(behind, `seed ${seed}`).toEqual([])
  const posList = watermarks.filter(({ level }) => level === 'pos')
  expect(posList).toHaveLength(OPEN_STORES.length)
}

async function gapsIn({ hub }: WorldAtSpeed, state: StoredGap['state']): Promise<StoredGap[]> {
  return (await hub.admin<{ gaps: StoredGap[] }>(`gaps?state=${state}&limit=500`)).gaps
}

/** The contact at the platform sends again what its log had erased, and no list tells enough of. */
async function sentAgain({ hub }: WorldAtSpeed, { erased }: Played): Promise<void> {
  for (const { kind, webhookEventId, payload } of erased) await postWebhook(hub.url, kind, webhookEventId, payload)
}

/** A person says of the stretches that nothing can prove what was done about them. Gives how many those were. */
async function explainExpired({ hub }: WorldAtSpeed): Promise<number> {
  for (const kind of UNLISTED) {
    const why = 'the platform has sent again what it had not delivered'
    const { code, err } = await asking(hub)(
      'gaps',
      'explain',
      '--cause',
      'not-looked-at',
      '--kind',
      kind,
      '--reason',
      why,
    )
    expect([code, err]).toEqual([0, ''])
  }
  return UNLISTED.length
}

/** The platform's log does not verify the orders that it has erased: a store confirms them, and a person lets them go. Gives how many. */
async function releaseOrders({ hub }: WorldAtSpeed): Promise<number> {
  const path = 'deliveries?state=held&destination=shop&limit=500'
  const { deliveries } = await hub.admin<{ deliveries: { id: number; code: string }[] }>(path)
  for (const { id, code } of deliveries) {
    expect(code).toBe('not-verified')
    await asking(hub)('deliveries', 'release', String(id), '--reason', 'the store confirms it')
  }
  return deliveries.length
}

/** Sends an event as the platform does; rejects where the hub does not take it. */
async function postWebhook(url: string, kind: string, eventId: string, payload: unknown): Promise<void> {
  const { statusCode, body } = await request(`${url}/webhooks/${kind}/all?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-event-id': eventId },
    body: JSON.stringify(payload),
  })
  await body.dump()
  if (statusCode >= 300) throw new Error(`The hub answered ${statusCode} to ${kind}.`)
}

/** Whatever is not as the sandbox's own books have it, receiver by receiver; and what a person is to book. */
interface Counted {
  rows: Row[]
  wrong: Row[]
  /** Sales that were taken from their lines: how they were paid nobody knows, and the books wait for that. */
  held: string[]
}

const BOOKED = 'sales booked in the ERP'
const LEVELS = 'stock levels, mirror and platform'

/** Counts everything where it has arrived, key by key; the hub is asked for nothing but its mirror. */
async function countAll(world: WorldAtSpeed, { posList }: Played): Promise<Counted> {
  const held = await heldSales(world)
  const all = [...countEffects(world, []), ...(await countBooks(world, posList)), await countDeliveries(world)]
  const effects = all.map((one) => {
    const { name, expected, counted } = one
    if (name === BOOKED) return { ...one, counted: [...counted, ...held] }
    // What was never moved is as it was at the beginning, and in the mirror, too.
    const moved = new Set(expected.map(locationOf))
    return name === LEVELS ? { ...one, counted: counted.filter((level) => moved.has(locationOf(level))) } : one
  })
  const rows = effects.map(reconcile)
  return { rows, wrong: rows.filter(({ missing, extra }) => missing.length + extra.length > 0), held }
}

function locationOf(level: string): string | undefined {
  return level.split(' ')[0]
}

interface Delivery {
  event: number
}

interface Thin {
  receiptNo: string
  total: number
  store: { storeExtId: string }
}

/** In the words of the ERP: `101/1012 149.90`. */
async function heldSales({ hub }: WorldAtSpeed): Promise<string[]> {
  const { deliveries } = await hub.admin<{ deliveries: Delivery[] }>('deliveries?state=held&destination=erp&limit=500')
  const events = await Promise.all(
    deliveries.map(({ event }) => hub.admin<{ subscription: string; body: string }>(`events/${event}`)),
  )
  return events.map(({ subscription, body }) => {
    const { receiptNo, total, store } = JSON.parse(body) as Thin
    if (subscription !== 'pulled') throw new Error(`The sale ${receiptNo} is held, and was pushed.`)
    return `${store.storeExtId}/${receiptNo} ${total.toFixed(2)}`
  })
}

/** Stocks of the stores that are open, by the platform's ids. */
const STOCKS = ['12', '13', '21']

interface Listed {
  OrderId: number
  TotalReceivedQty: number
  Completed: boolean
}

interface Mirrored {
  id: string
  isCompleted: boolean
  lines: { received: string | null }[]
}

/** Deliveries as they stand: what was received of each by the platform's own list, and by the hub's mirror. */
async function countDeliveries({ platform, hub, keys }: WorldAtSpeed): Promise<Effects> {
  const headers = { 'x-api-key': keys.PLATFORM_API_KEY, 'ocp-apim-subscription-key': keys.PLATFORM_SUBSCRIPTION_KEY }
  const lists = await Promise.all(
    STOCKS.map(async (id) => {
      const { body } = await request(`${platform.portalUrl}/api/GetOrdersV3?stockid=${id}`, { headers })
      return (await body.json()) as Listed[]
    }),
  )
  const { key } = await hub.admin<{ key: string }>('keys', { system: 'soak', may: 'read:*' })
  const { body } = await request(`${hub.url}/v1/goods-deliveries`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  })
  const rows = (await body.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const mirrored: Mirrored[] = rows.filter(({ end }) => end !== true)
  return {
    name: 'deliveries, mirror and platform',
    expected: lists.flat().map((one) => `${one.OrderId} ${one.TotalReceivedQty} ${one.Completed}`),
    counted: mirrored.map(({ id, lines, isCompleted }) => {
      const received = lines.reduce((sum, line) => sum + Number(line.received ?? 0), 0)
      return `${id} ${received} ${isCompleted}`
    }),
  }
}
