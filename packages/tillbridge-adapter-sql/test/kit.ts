import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import type { Attempt, BackOfficePort, BatchResult } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import sql from '../src/sql.ts'
import type { Corner } from './servers.ts'

export type Port = Required<BackOfficePort>

interface At extends AsyncDisposable {
  instance: AdapterInstance
  port: Port
}

export function start(corner: Corner, given: Record<string, unknown> = {}): At {
  const options = sql.options.parse({ ...corner.options, ...given })
  const instance = sql.create(options, { destination: 'bi', timeout: 5_000, concurrency: 2 })
  return {
    instance,
    port: instance.ports.backOffice as Port,
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  }
}

export function batchOf<Booking>(records: Record<string, Booking>, given: Partial<Attempt> = {}) {
  return Object.entries(records).map(([key, argument]) => ({ argument, attempt: attempt({ key, ...given }) }))
}

export function book(port: Port, key: string, booking: Bookings['bookSale']): Promise<BatchResult> {
  return port.bookSale(batchOf({ [key]: booking }))
}

export async function keysIn(corner: Corner, table: string): Promise<(string | null | undefined)[]> {
  const rows = await corner.run(`select booking_key from ${corner.table(table)} order by booking_key`)
  return rows.map(({ booking_key }) => booking_key)
}

export function typeOf(result: BatchResult[number] | undefined): string {
  return result instanceof Error ? result.name : result ? 'written' : 'nothing'
}

export function messageOf(result: BatchResult[number] | undefined): string {
  return result instanceof Error ? result.message : 'It did not fail.'
}

/** A failure of all: thrown, or told of each. */
export async function failure(booking: Promise<BatchResult>): Promise<Error> {
  const [result] = await booking.catch((error: Error) => [error])
  return result instanceof Error ? result : new Error('It did not fail.')
}
