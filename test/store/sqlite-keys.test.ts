import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Arrival } from '../../src/store/arrival.ts'
import type { Store } from '../../src/store/store.ts'
import { createArrivals } from './arrivals.ts'
import { openFile, temporaryFolder } from './sqlite-file.ts'

/* New keys wait in memory before they are merged into their table: none of that may show. */

const { of } = createArrivals({ now: () => Date.parse('2026-11-20T14:00:00Z') })

test('When the hub is killed while keys wait in memory, then what was seen is a copy all the same, twice over', async () => {
  using folder = temporaryFolder()
  const first = sales(0, 3_000)
  const second = sales(3_000, 3_000)

  await using store = await openFile(join(folder.path, 'store.db'))
  expect(await takeAll(store, first)).toEqual({ accepted: 3_000 })

  const killed = copyOf(folder.path, 'store', 'killed')
  await using afterKill = await openFile(killed)
  expect(await takeAll(afterKill, first)).toEqual({ duplicate: 3_000 })
  expect(await takeAll(afterKill, second)).toEqual({ accepted: 3_000 })

  const killedAgain = copyOf(folder.path, 'killed', 'killed-again')
  await using afterBoth = await openFile(killedAgain)
  expect(await takeAll(afterBoth, byIdentityOnly([...first, ...second]))).toEqual({ duplicate: 6_000 })
  expect(await takeAll(afterBoth, byTransportKeyOnly([...first, ...second]))).toEqual({ duplicate: 6_000 })
})

test('When so much was taken that all keys were merged, then each is in the table once, and still known', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  // The first walk through the buckets merges all of them; the second may say so of the first's events.
  const taken = sales(0, 66_000)
  await using store = await openFile(path)
  expect(await takeAll(store, taken)).toEqual({ accepted: 66_000 })

  const table = new Database(path, { readonly: true })
  const merged = table.prepare<[], { upTo: number }>('select up_to as upTo from keys_merged').get()?.upTo
  const keys = table.prepare<[], { n: number }>('select count(*) as n from keys').get()?.n
  table.close()
  expect(merged).toBeGreaterThan(0)
  expect(keys).toBeGreaterThan(2 * (merged ?? 0) - 1)
  expect(keys).toBeLessThan(132_000)
  expect(await takeAll(store, taken)).toEqual({ duplicate: 66_000 })
})

test('When a refused body leaves a trace and the hub is killed, then the whole one is still news', async () => {
  using folder = temporaryFolder()
  const [sale] = sales(0, 1) as [Arrival]
  const refused: Arrival = { ...sale, body: new Uint8Array(), bodyHash: '', identity: null, problem: 'too large' }
  await using store = await openFile(join(folder.path, 'store.db'))
  await store.accept([{ ...refused, refused: true, deliveries: [] }])

  await using afterKill = await openFile(copyOf(folder.path, 'store', 'killed'))
  expect(await takeAll(afterKill, [sale])).toEqual({ accepted: 1 })
})

test('When a group is at fault and rolled back, then what was in it is still news', async () => {
  using folder = temporaryFolder()
  await using store = await openFile(join(folder.path, 'store.db'))
  const [good, other] = sales(0, 2) as [Arrival, Arrival]
  const faulty = { ...other, kind: null } as unknown as Arrival
  await expect(store.accept([good, faulty])).rejects.toThrow('NOT NULL')
  expect(await takeAll(store, [good, other])).toEqual({ accepted: 2 })
})

function sales(from: number, count: number): Arrival[] {
  return Array.from({ length: count }, (_, index) => {
    const receipt = from + index
    const sale = { saleGuid: `sale-${receipt}`, receiptNo: receipt, storeId: 17, total: '129.50' }
    return of('SaleCreated', sale, { identity: `sale-${receipt}`, transportKey: `event-${receipt}` })
  })
}

function byIdentityOnly(arrivals: Arrival[]): Arrival[] {
  return arrivals.map((arrival) => ({ ...arrival, transportKey: null }))
}

function byTransportKeyOnly(arrivals: Arrival[]): Arrival[] {
  return arrivals.map((arrival) => ({ ...arrival, identity: `other-${arrival.identity}` }))
}

/** How many came to what, in groups as the inbox makes them. */
async function takeAll(store: Store, arrivals: Arrival[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let from = 0; from < arrivals.length; from += 500)
    for (const { status } of await store.accept(arrivals.slice(from, from + 500)))
      counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The file as a killed process would leave it: with what its WAL holds. */
function copyOf(folder: string, name: string, to: string): string {
  for (const suffix of ['', '-wal'])
    if (existsSync(join(folder, `${name}.db${suffix}`)))
      copyFileSync(join(folder, `${name}.db${suffix}`), join(folder, `${to}.db${suffix}`))
  return join(folder, `${to}.db`)
}
