import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { allDelivered, busTo, createFolder, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../small-disk.ts'

const MB = 1024 * 1024

test('when somebody else locks the file, then webhooks get 503 until it is free, and nothing was kept of them', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  await post(hub, 1)
  await allDelivered(hub, 1)
  const other = new Database(hub.file)
  other.exec('begin exclusive')
  const numbers = Array.from({ length: 30 }, (_, n) => n + 2)
  const [state, ...refused] = await Promise.all([health(hub), ...numbers.map((n) => post(hub, n))])
  expect(state).toEqual({ live: 200, ready: 503 })
  for (const answer of [...refused, await hub.ask('/health/ready')]) {
    expect(answer).toMatchObject({ status: 503, body: { status: 503, code: 'store-unavailable' } })
    expect(answer.headers['retry-after']).toBe('5')
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(answer.body.detail).toMatch(/^The store cannot write: another process holds the lock on /)
  }
  expect((await hub.admin('events')).body).toMatchObject({ events: [{ id: 1 }] })
  expect(hub.lines.filter(({ msg }) => msg === 'store.unavailable')).toMatchObject([
    { level: 50, why: expect.stringContaining('another process holds the lock') },
  ])
  other.close()
  expect(await post(hub, 4)).toMatchObject({ status: 202, body: { status: 'accepted', id: 2 } })
  expect(await health(hub)).toEqual({ live: 200, ready: 200 })
  await eventually(() => expect(sink.received.map(({ body }) => JSON.parse(body).movementId)).toEqual([1, 4]))
})

test('when a second hub is started on the same file, then it waits for the first one to end', async () => {
  await using folder = await createFolder()
  const first = await startTestHub({ folder: folder.path })
  await using second = await startTestHub({ folder: folder.path })
  expect(await post(first, 1)).toMatchObject({ status: 202 })
  expect(await post(second, 2)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect(await health(second)).toEqual({ live: 200, ready: 503 })
  expect(second.lines.filter(({ msg }) => msg === 'store.cannot-open')).toMatchObject([
    { level: 50, problem: expect.stringMatching(/another process holds the lock/) },
  ])
  await first[Symbol.asyncDispose]()
  await eventually(async () => expect(await health(second)).toEqual({ live: 200, ready: 200 }))
  expect(await post(second, 1)).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
  expect(second.lines.some(({ msg }) => msg === 'store.opened')).toBe(true)
})

test.skipIf(noSmallDisk !== null)(
  `when the disk is full, then each 2xx is on it and others get 503, and all goes on when there is room${whyNoDisk}`,
  async () => {
    // Room for the largest WAL and the file, once the ballast is gone.
    await using disk = mountSmallDisk(18 * MB)
    await using sink = await startSink()
    await startedBefore(disk.path)
    await disk.ballast(15 * MB)
    await using hub = await startTestHub({ folder: disk.path, destinations: { bus: busTo(sink.url) } })
    const taken = new Set<number>()
    const refused = new Set<number>()
    let next = 0

    async function posting(until: () => boolean) {
      while (!until()) {
        const n = ++next
        const { status, headers, body } = await hub.post('StockMovementCreated', movement(n))
        if (status === 202) taken.add(n)
        else {
          expect({ status, code: body.code, retry: headers['retry-after'] }).toEqual({
            status: 503,
            code: 'store-unavailable',
            retry: '5',
          })
          expect(body.detail).toMatch(/no room left for/)
          refused.add(n)
        }
      }
    }
    const eight = (until: () => boolean) => Promise.all(Array.from({ length: 8 }, () => posting(until)))

    await eight(() => refused.size >= 20)
    expect(taken.size).toBeGreaterThan(20)
    await eventually(async () => expect(await health(hub)).toEqual({ live: 200, ready: 503 }))

    await disk.ballast(null)
    const before = taken.size
    await eight(() => taken.size >= before + 40)
    await eventually(async () => expect(await health(hub)).toEqual({ live: 200, ready: 200 }))
    await eventually(
      () => expect(new Set(sink.received.map(({ body }) => JSON.parse(body).movementId))).toEqual(taken),
      20_000,
    )
    await hub.hub.stop(5_000)

    const kept = movementsIn(hub.file)
    expect(kept.length).toBe(taken.size)
    expect(new Set(kept)).toEqual(taken)
  },
)

test.skipIf(noSmallDisk !== null)(
  `when the file system is read-only at start, then the hub waits for it${whyNoDisk}`,
  async () => {
    // Room for the largest WAL and the file, once the ballast is gone.
    await using disk = mountSmallDisk(18 * MB)
    await startedBefore(disk.path)
    disk.setReadOnly(true)
    await using hub = await startTestHub({ folder: disk.path })
    expect(await health(hub)).toEqual({ live: 200, ready: 503 })
    expect(await post(hub, 1)).toMatchObject({ status: 503, body: { code: 'store-unavailable' } })
    expect(hub.lines.filter(({ msg }) => msg === 'store.cannot-open')).toHaveLength(1)
    disk.setReadOnly(false)
    await eventually(async () => expect(await health(hub)).toEqual({ live: 200, ready: 200 }))
    expect(await post(hub, 1)).toMatchObject({ status: 202, body: { id: 1 } })
  },
)

function post(hub: TestHub, movementId: number) {
  return hub.post('StockMovementCreated', movement(movementId))
}

/** About 2 KB. */
function movement(movementId: number) {
  return stockMovement({ movementId, comment: 'x'.repeat(1_800) })
}

async function health(hub: TestHub): Promise<{ live: number; ready: number }> {
  const [live, ready] = await Promise.all([hub.ask('/health/live'), hub.ask('/health/ready')])
  return { live: live.status, ready: ready.status }
}

/** A hub was there before: its file is there, and empty. */
async function startedBefore(folder: string): Promise<void> {
  await using hub = await startTestHub()
  const { file } = hub
  await hub.hub.stop(0)
  await copyFile(file, join(folder, 'tillbridge.db'))
}

function movementsIn(file: string): number[] {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare<[], { identity: string }>('select identity from events join payloads on event_id = id').all()
  db.close()
  return rows.map(({ identity }) => Number(identity))
}
