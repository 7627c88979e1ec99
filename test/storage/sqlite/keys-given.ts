import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Arrival } from '../../../src/storage/arrival.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createArrivals } from '../arrivals.ts'

const { of } = createArrivals({ now: () => Date.parse('2026-11-20T14:00:00Z') })

/** Sales with a key and an identity of their own, by number. */
export function sales(from: number, count: number): Arrival[] {
  return Array.from({ length: count }, (_, index) => {
    const receipt = from + index
    const sale = { saleGuid: `sale-${receipt}`, receiptNo: receipt, storeId: 17, total: '129.50' }
    return of('SaleCreated', sale, { identity: `sale-${receipt}`, transportKey: `event-${receipt}` })
  })
}

export function byIdentityOnly(arrivals: Arrival[]): Arrival[] {
  return arrivals.map((arrival) => ({ ...arrival, transportKey: null }))
}

export function byTransportKeyOnly(arrivals: Arrival[]): Arrival[] {
  return arrivals.map((arrival) => ({ ...arrival, identity: `other-${arrival.identity}` }))
}

/** How many came to what, in groups as the inbox makes them. */
export async function takeAll(storage: Storage, arrivals: Arrival[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let from = 0; from < arrivals.length; from += 500)
    for (const { status } of await storage.accept(arrivals.slice(from, from + 500)))
      counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The file as a killed process would leave it: with what its WAL holds. */
export function copyOf(folder: string, name: string, to: string): string {
  for (const suffix of ['', '-wal'])
    if (existsSync(join(folder, `${name}.db${suffix}`)))
      copyFileSync(join(folder, `${name}.db${suffix}`), join(folder, `${to}.db${suffix}`))
  return join(folder, `${to}.db`)
}
