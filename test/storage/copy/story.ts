import { copyFileSync, existsSync } from 'node:fs'
import type { MirrorChange } from '../../../src/domain/catalogue/mirror.ts'
import type { Watermark } from '../../../src/domain/completeness/completeness.ts'
import type { DetectedGap } from '../../../src/domain/completeness/gap.ts'
import type { Link } from '../../../src/domain/orders/link.ts'
import type { Arrival } from '../../../src/storage/arrival.ts'
import type { Claim } from '../../../src/storage/claim.ts'
import { COPIED_TABLES } from '../../../src/storage/copy/copy.ts'
import type { StoredConsoleUser } from '../../../src/storage/rows.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { endlessAisle, sale } from '../../fixtures/payloads.ts'
import {
  BUS,
  by,
  claim,
  DAY,
  DELIVERED,
  FAILED,
  HOUR,
  LEASE,
  MINUTE,
  PLENTY,
  REFUSED,
  SHOP,
  SHOP_BULK,
  settlement,
  UNCERTAIN,
} from '../acting.ts'
import { createArrivals, pending } from '../arrivals.ts'
import { compressAll } from '../payloads/compress-all.ts'
import { connect } from '../postgres/schema.ts'
import { openFile } from '../sqlite/file.ts'

/* A store with everything in it, for copying: what is told of it, what people read of it, and what a hub makes of it. */

/** Long before now: all that waits is due by now. */
export const THEN = Date.now() - DAY

const ANNA = {
  customerId: '1',
  extId: null,
  email: 'anna@example.com',
  firstName: 'Anna',
  lastName: null,
  companyName: null,
  phone: '+4791234567',
  address: null,
  postalCode: null,
  city: 'Tromsø',
  countryCode: 'NO',
}
const TRONDHEIM = {
  storeId: '12',
  number: 'NO-1',
  name: 'Trondheim',
  stockId: '3',
  countryCode: 'NO',
  currency: 'NOK',
  zone: 'Europe/Oslo',
}
const KARI: StoredConsoleUser = {
  ...{ name: 'kari', role: 'operator', password: 'no hash of any' },
  ...{ createdAt: THEN, createdBy: 'anna', disabledAt: null, subject: null },
}
const act = (action: string) => ({ at: THEN, by: 'kari', action, changed: 1 })
const KEY = {
  id: 'a1',
  system: 'erp',
  scopes: ['orders' as const, 'orders:any' as const, 'read:*' as const],
  createdAt: THEN,
  createdBy: 'kari',
  lastUsedAt: null,
  revokedAt: null,
  secretHash: 'ab'.repeat(32),
}
const NO_PLACE = { place: null, article: null, day: '', part: null, version: 1, tie: 0 }
const LINE = { set: 'sales-lines', place: '12', day: '2026-11-20', part: '12/2026-11-20T14' } as const
const MIRRORED: MirrorChange[] = [
  { type: 'put', row: { ...NO_PLACE, set: 'stock', key: '3/1', body: { text: 'æ 😀', level: '1.5' } } },
  {
    type: 'replace',
    ...LINE,
    rows: ['1', '2'].map((key) => ({ ...LINE, key, article: '731', version: THEN, tie: 2 ** 53 - 1, body: { key } })),
  },
]
const LACKED: DetectedGap = {
  ...{ source: 'log', cause: 'failed', kind: 'SaleCreated', storeId: '12', destination: null, day: '2026-11-20' },
  ...{ subject: 'e-1', at: THEN, evidence: { log: { status: 404, text: 'æ 😀' } } },
}
const PROVEN: Watermark = {
  ...{ level: 'log', kind: 'SaleCreated', storeId: null },
  ...{ from: THEN - DAY, until: THEN, since: THEN },
}
const HELD = { type: 'held', code: 'unbalanced', why: 'it does not balance' } as const
const READY = 'order/A1/ready'
const LEVEL = { flow: 'stock', destination: 'bus', subject: 'sku:1@1' }
const link = (kind: string, id: string): Link => ({ destination: 'shop', kind, id, theirId: `their ${id}` })

/** What came at `THEN`, each of it once. */
export const ARRIVALS: readonly Arrival[] = arrivals()

function arrivals(): Arrival[] {
  const { about, arrival, of } = createArrivals({ now: () => THEN })
  const line = (n: number): Partial<Arrival> => ({
    origin: 'erp',
    transportKey: `products/k-1/${n}`,
    submission: { resource: 'products', key: 'k-1', line: n },
  })
  const toTell = { flow: 'tell', once: true, effect: READY, entity: 'order:A1' }
  return [
    of('SaleCreated', sale(), { transportKey: 'k-1' }),
    of('SaleCreated', sale({ total: 1 }), { transportKey: 'k-2' }),
    of('OmniChannelEndlessAisleOrderCreated', endlessAisle()),
    arrival({ deliveries: [], kind: 'BrandNewKind' }),
    arrival({ problem: 'no JSON', body: Buffer.from('{') }),
    arrival({ refused: true, deliveries: [] }),
    // Of one entity, in two queues, and of none.
    ...Array.from({ length: 4 }, () => about('order:A1')),
    about('order:A1', { urgency: 'bulk' }),
    about(null),
    about(null, { destination: 'bus' }),
    // To be proven, guarded, and held for a person.
    about('order:A1', { ...toTell, destination: 'bus' }),
    about('order:B1', { once: true, effect: 'order/B1/paid', unless: ['order/B1/cancelled'] }),
    { ...about('order:B1', { flow: 'cancel' }), proves: ['order/B1/cancelled'], links: [link('order', 'A1')] },
    about('order:C1', { once: true, effect: 'order/C1/paid' }),
    // What only the newest of is made, and what is compared.
    about('sku:1', { ...LEVEL, latestWins: true, digest: '5', version: 1 }),
    about('sku:1', { ...LEVEL, latestWins: true, digest: '6', version: 3 }),
    about('sku:1', { ...LEVEL, latestWins: true, digest: '7', version: 2 }),
    { ...about('a', { batch: 'b' }), acknowledges: [{ destination: 'bus', flow: 'f', subject: 's', digest: 'd' }] },
    ...['b', 'c'].map((entity) => about(entity, { batch: 'b', urgency: 'bulk' })),
    ...[1, 2].map((n) => ({ ...about(`product:${n}`), ...line(n) })),
    about('large', { notBefore: THEN + HOUR }),
    arrival({ body: Buffer.alloc(700_000, 'large '), deliveries: [pending(), pending({ destination: 'bus' })] }),
    arrival({ payload: { text: 'æøå 😀 \u0000' }, headers: { 'x-note': 'æ' } }),
  ]
}

/** What comes when all that was told: the same level again, and an older one. */
export const LATER: readonly Arrival[] = [
  { digest: '6', version: 3 },
  { digest: '5', version: 1 },
].map((what) => createArrivals({ now: () => THEN }).about('sku:1', { ...LEVEL, ...what }))

/** Tells all of it to a store whose clock stands at `THEN`, up to the moment when the hub is killed. */
async function tellStory(storage: Storage): Promise<void> {
  await storage.accept([...ARRIVALS])
  await storage.endSubmission(1, { at: THEN, lines: 2, refused: 0, faults: [] })

  const bus = await claim(storage, BUS)
  const made = (one: Claim) =>
    one.delivery.effect === READY ? UNCERTAIN : { ...DELIVERED, links: [link('draft', 'A1')] }
  await storage.settle(bus.map((one) => ({ ...settlement(one, made(one), THEN), attempt: attemptOf(made(one).type) })))
  const { arrival } = createArrivals({ now: () => THEN })
  const [gone] = await storage.accept([
    arrival({ deliveries: [], quiet: true }),
    arrival({ deliveries: [], quiet: true, proves: [READY] }),
  ])

  const [first, second, third, ...more] = await claim(storage, SHOP)
  if (first && second && third) {
    await storage.settle([settlement(first, REFUSED, THEN), settlement(second, DELIVERED, THEN)])
    // Not a whole number of milliseconds: so do the retries of a hub.
    const failed = settlement(third, FAILED, THEN)
    await storage.settle([{ ...failed, next: { ...failed.next, dueAt: THEN + 1.25 } }])
  }
  const uncertain = more.find(({ delivery }) => delivery.effect === 'order/C1/paid')
  if (uncertain) await storage.settle([settlement(uncertain, UNCERTAIN, THEN, 'hold')])

  await storage.skip({ event: 12 }, by(THEN))
  await storage.move('shop', 'web', { ...by(THEN), dryRun: true })
  await storage.retry({ state: 'dead' }, by(THEN), false)
  const last = more.find(({ delivery }) => delivery.entity === 'product:2')
  if (last) await storage.settle([settlement(last, REFUSED, THEN)])
  const unbalanced = more.find(({ delivery }) => delivery.entity === 'product:1')
  if (unbalanced) await storage.settle([settlement(unbalanced, HELD, THEN)])
  await storage.releaseHeld({ state: 'held' }, by(THEN))
  await claim(storage, SHOP_BULK)
  await storage.pause(BUS, { until: null, why: 'it is Sunday' })
  await storage.saveCustomers([ANNA, { ...ANNA, customerId: '2', email: null, phone: null, extId: 'x' }], THEN)
  await storage.saveStores([TRONDHEIM, { ...TRONDHEIM, storeId: '13' }], THEN)
  await storage.saveStores([TRONDHEIM], THEN + MINUTE)
  await storage.noteEndpointUse({ operation: 'orders.read', address: 'GET https://pos/api', came: 'worked' }, THEN)
  await storage.createApiKey(KEY)
  await storage.addConsoleUser(KARI, act('add-user'))
  await storage.beginBulkAct(act('skip'), 3)
  await storage.openConsoleSession('0'.repeat(64), act('sign-in'), { begun: 0, seen: 0 })
  await storage.saveMirror(MIRRORED, THEN)
  const says = { list: 'NOK', productId: '1', since: THEN }
  await storage.saveFindings([{ type: 'keep', finding: { sort: 'unsellable', says } }])
  await storage.saveReconciliation(
    {
      gaps: [{ type: 'see', gap: LACKED }],
      covered: [{ source: 'log', scope: 'w', from: THEN, to: THEN + HOUR }],
      watermarks: [{ type: 'put', watermark: PROVEN }],
    },
    THEN,
  )
  await storage.holdEvents([1], by(THEN))
  while ((await storage.dropEvents([gone?.id ?? 0])).seen === 0);
  await storage.noteLookup({ at: THEN, number: 'A1', found: ['shop'], missing: [], ms: 12.6 })
  await storage.extendAct(1, 0, [12])
  await storage.indexKeys(
    12,
    [11, 12].map((event) => ({ sort: 'order', value: 'a1', event }) as const),
  )
  await compressAll(storage, THEN + 1)
  const run = await storage.beginJob('stores', { now: THEN, lease: LEASE })
  await storage.endJob('stores', run?.fence ?? 0, { at: THEN, state: '{"cursor":7}', note: '2 stores' })
  await storage.beginJob('stores', { now: THEN + HOUR, lease: LEASE })
}

function attemptOf(outcome: string) {
  return { at: THEN, ms: 123.4, outcome, code: outcome, note: 'said NUL: \0' }
}

/** All that people, POS and jobs read of a store. */
export async function readAll(storage: Storage) {
  const events = await storage.events({ limit: 1_000 })
  const deliveries = await storage.deliveries({ limit: 1_000 })
  const flows = ['tell', 'publish'].map((flow) => ({ flow, before: Date.now() }))
  return {
    events: await Promise.all(events.map(({ id }) => storage.event(id))),
    deliveries: await Promise.all(deliveries.map(({ id }) => storage.delivery(id))),
    status: await storage.status(),
    pending: (await storage.pending()).sort((a, b) => (a.destination < b.destination ? -1 : 1)),
    overdue: await storage.overdue(flows, 100),
    order: await storage.order('A1'),
    links: await storage.links('shop', 'order', ['A1']),
    effects: await storage.effectsOf('skipped', 'order/'),
    submission: await storage.submission(1),
    items: await storage.submissionItems(1, { states: ['waiting', 'delivered'] }),
    jobs: await storage.jobs(),
    runs: await storage.jobRuns('stores', 10),
    stores: await storage.stores(),
    apiKeys: [await storage.apiKeys(), await storage.apiKey('a1')],
    paused: await storage.paused(),
    customers: [
      await storage.findCustomers({ type: 'email', email: 'anna@example.com' }),
      await storage.findCustomers({ type: 'phone', numbers: ['+4791234567'], typed: '' }),
      await storage.customerCount(),
    ],
    findings: await storage.findings({ sort: 'unsellable' }, null, 10),
    reconciliation: [await storage.gaps({}, 0, 10), await storage.covered('log', 'w'), await storage.watermarks()],
    holds: await storage.legalHolds(0, 10),
    dropped: await storage.nextReceived(ARRIVALS.length),
    mirror: [await storage.mirrorRows('stock', ['3/1']), await storage.mirrorPage({ set: 'sales-lines' }, null, 10)],
  }
}

/** What a hub makes of the store from now on: what each round claims, call by call; all of it is delivered. */
export async function workOff(storage: Storage): Promise<unknown[]> {
  await storage.resume(BUS)
  const rounds: unknown[] = []
  for (;;) {
    const claims: Claim[] = []
    for (const queueKey of [SHOP, SHOP_BULK, BUS]) {
      const room = { ...PLENTY, batch: { ...PLENTY.batch, linger: 0 } }
      claims.push(...(await storage.claim(queueKey, room, LEASE)).calls.flat())
    }
    if (claims.length === 0) return rounds
    rounds.push(claims.map(({ fence: _, ...claimed }) => claimed).sort((a, b) => a.delivery.id - b.delivery.id))
    await storage.settle(claims.map((one) => settlement(one, DELIVERED, Date.now())))
  }
}

/** A file whose hub was killed in the middle of the story. */
export async function createToldFile(path: string): Promise<void> {
  await using storage = await openFile(path, { clock: () => THEN })
  await tellStory(storage)
}

let copies = 0

/** A copy of a file beside it, as it was told: some of it is in its log still. */
export function copyOf(path: string): string {
  copies += 1
  const copy = path.replace(/\.db$/, `-${copies}.db`)
  for (const end of ['', '-wal']) if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`)
  return copy
}

/** Every row of every table that is copied; what PostgreSQL alone has is left out. */
export async function contentOf(schema: string): Promise<string[]> {
  await using client = await connect(schema)
  const lines: string[] = []
  for (const { name, columns } of COPIED_TABLES) {
    const values = columns.map((column) =>
      column.type === 'bytea' ? `encode("${column.name}", 'hex')` : `"${column.name}"::text`,
    )
    const rows = await client.ask(`select json_build_array(${values}) as row from ${name}`)
    lines.push(...rows.map(({ row }) => `${name} ${JSON.stringify(row)}`))
  }
  return lines.sort()
}
