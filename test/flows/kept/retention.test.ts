import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { RetentionPlan } from '../../../src/admin/retention.ts'
import type { JobStatus } from '../../../src/domain/health/health.ts'
import type { EventDetail } from '../../../src/storage/rows.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'

const DAY = 24 * 3_600_000
const WHY = { reason: 'the auditor asked' }

async function startKept(given: Parameters<typeof startTestHub>[0] = {}) {
  const sink = await startSink()
  const clock = createTestClock()
  const hub = await startTestHub({
    ...given,
    clock,
    destinations: { bus: { adapter: 'http', url: sink.url, publish: 'all' } },
  })
  return {
    hub,
    sink,
    clock,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await sink[Symbol.asyncDispose]()
    },
  }
}

async function prune({ admin }: TestHub): Promise<JobStatus> {
  const { status, body } = await admin<JobStatus>('jobs/retention/run', {})
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.problem).toBeNull()
  return body
}

async function reported(hub: TestHub, receiptNo: number, eventId: string): Promise<number> {
  const { body } = await hub.post('SaleCreated', { ...sale(), receiptNo }, { eventId })
  return body.id
}

const eventOf = async ({ admin }: TestHub, id: number) => await admin<EventDetail>(`events/${id}`)

async function untilDelivered({ admin }: TestHub, ids: readonly number[]): Promise<void> {
  for (const id of ids)
    await eventually(async () => {
      const { body } = await admin<EventDetail>(`events/${id}`)
      expect(body.deliveries.map(({ state }) => state)).not.toContain('waiting')
      expect(body.deliveries.map(({ state }) => state)).not.toContain('claimed')
    })
}

test('When events have had their time, then their payloads go, then they; what must stay stays; a repeat is refused', async () => {
  await using the = await startKept({ config: { retention: { keys: '500d', mirror: { sales: '100d' } } } })
  const { hub, sink, clock } = the
  const old = await reported(hub, 1, 'e-1')
  const held = await reported(hub, 2, 'e-2')
  await untilDelivered(hub, [old, held])
  sink.play({ status: 400 })
  const dead = await reported(hub, 3, 'e-3')
  await untilDelivered(hub, [dead])
  sink.play({ status: 200 })
  const { body: quarantined } = await hub.post('SaleCreated', 'not JSON', { eventId: 'e-4' })
  expect((await hub.admin('retention/hold', { events: [held] })).status).toBe(400)
  expect((await hub.admin('retention/hold', { events: [held], ...WHY })).body).toMatchObject({ changed: 1 })

  clock.advance(91 * DAY)
  await prune(hub)
  expect((await eventOf(hub, old)).body).toMatchObject({ id: old, body: null })
  for (const id of [held, dead]) expect((await eventOf(hub, id)).body.body).not.toBeNull()

  clock.advance(308 * DAY)
  await prune(hub)
  expect((await eventOf(hub, old)).status).toBe(200)
  const repeat = { ...sale(), receiptNo: 1 }
  expect(await hub.post('SaleCreated', repeat, { eventId: 'e-1' })).toMatchObject({ status: 200, body: { id: old } })

  clock.advance(2 * DAY)
  const young = await reported(hub, 5, 'e-5')
  await untilDelivered(hub, [young])
  const { body: plan } = await hub.admin<RetentionPlan>('retention/plan')
  expect(plan).toMatchObject({ off: false, partly: false, stays: { hold: 1, dead: 1, rejected: 1 } })
  expect(plan.goes).toMatchObject([{ kind: 'SaleCreated', events: 1, payloads: 0 }])
  expect((await prune(hub)).note).toContain('pruned 1 event')
  expect((await eventOf(hub, old)).status).toBe(404)
  for (const id of [held, dead, quarantined.id, young]) expect((await eventOf(hub, id)).status).toBe(200)
  for (const eventId of ['e-1', 'e-9'])
    expect(await hub.post('SaleCreated', repeat, { eventId })).toMatchObject({ status: 200, body: { id: old } })

  await hub.admin('retention/unhold', { events: [held], ...WHY })
  await hub.admin('deliveries/skip', { filter: { event: dead }, ...WHY })
  await hub.admin('events/dismiss', { filter: { id: quarantined.id }, ...WHY })
  clock.advance(8 * DAY)
  expect((await prune(hub)).note).toContain('pruned 3 events')

  // Its keys had their time, too: the platform cannot send it any more.
  clock.advance(101 * DAY)
  await prune(hub)
  expect((await hub.post('SaleCreated', repeat, { eventId: 'e-1' })).status).toBe(202)
})

test('When kinds have ages of their own, then each goes by its own', async () => {
  const kinds = { SaleCreated: { payloads: '2d', events: '10d', attempts: '1d' } }
  await using the = await startKept({ config: { retention: { kinds } } })
  const { hub, clock } = the
  const ids = [await reported(hub, 1, 'e-1')]
  const { body: other } = await hub.post('InvoiceCreated', { invoice: 1 }, { eventId: 'e-2' })
  await untilDelivered(hub, [...ids, other.id])

  clock.advance(3 * DAY)
  await prune(hub)
  const { body } = await eventOf(hub, ids[0] ?? 0)
  expect(body.body).toBeNull()
  expect((await eventOf(hub, other.id)).body.body).not.toBeNull()

  clock.advance(8 * DAY)
  await prune(hub)
  expect((await eventOf(hub, ids[0] ?? 0)).status).toBe(404)
  expect((await eventOf(hub, other.id)).status).toBe(200)
})

test('When config switches it off, then nothing goes, and the plan says what would', async () => {
  await using the = await startKept({ config: { retention: { enabled: false } } })
  const { hub, clock } = the
  const id = await reported(hub, 1, 'e-1')
  await untilDelivered(hub, [id, await reported(hub, 2, 'e-2')])

  clock.advance(500 * DAY)
  expect((await prune(hub)).note).toContain('nothing is pruned')

  expect((await eventOf(hub, id)).body.body).not.toBeNull()
  const { body: plan } = await hub.admin<RetentionPlan>('retention/plan')
  expect(plan).toMatchObject({ off: true, goes: [{ events: 1, deliveries: 1, payloads: 1 }] })
})

test('When many events went, then the file is smaller, and each page of it is sound', async () => {
  await using the = await startKept()
  const { hub, clock } = the
  const filler = 'x'.repeat(20_000)
  const ids = await Promise.all(
    Array.from({ length: 60 }, async (_, nth) => (await hub.post('InvoiceCreated', { nth, filler })).body.id),
  )
  await untilDelivered(hub, ids)
  using db = Object.assign(new Database(hub.file, { readonly: true }), {
    [Symbol.dispose]: () => {
      db.close()
    },
  })
  const pages = () => Number(db.pragma('page_count', { simple: true }))
  const before = pages()

  clock.advance(91 * DAY)
  await prune(hub)

  expect(pages()).toBeLessThan(before / 2)
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})
