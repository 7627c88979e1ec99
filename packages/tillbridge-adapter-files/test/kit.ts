import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import type { BookingName, Bookings } from '../../../src/domain/accounting/bookings.ts'
import type { Attempt, BackOfficeCall, BackOfficePort } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { saleRecord } from '../../../test/adapters/records.ts'
import files from '../src/files.ts'

export interface ErpFolder extends AsyncDisposable {
  path: string
  /** What stands in it for everybody to see, in the order of names. */
  names(): string[]
  read(name: string): string
  /** Every file that there is below it, hidden ones too. */
  everything(): string[]
}

export function openErpFolder(): ErpFolder {
  const folder = erpFolderAt(mkdtempSync(join(tmpdir(), 'tillbridge-files-')))
  return { ...folder, [Symbol.asyncDispose]: () => rm(folder.path, { recursive: true }) }
}

/** The same of a folder that is there, and stays. */
export function erpFolderAt(path: string): Omit<ErpFolder, typeof Symbol.asyncDispose> {
  const everything = () => readdirSync(path, { recursive: true, withFileTypes: true })
  return {
    path,
    names: () =>
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort(inOrder),
    read: (name) => readFileSync(join(path, name), 'utf8'),
    everything: () => everything().flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])),
  }
}

/** That without a number first, and `-10` after `-2`. */
function inOrder(a: string, b: string): number {
  return a.replace(/\..*/, '').localeCompare(b.replace(/\..*/, ''), 'en', { numeric: true })
}

export interface Erp extends AsyncDisposable {
  books: BackOfficePort
  /** Books records of one kind, and says how each ended: the note, or the error. */
  book<Name extends BookingName>(
    method: Name,
    records: Record<string, Bookings[Name]>,
    given?: Partial<Attempt>,
  ): Promise<(string | Error)[]>
  /** Sales with these numbers, which are their keys as well. */
  sell(receiptNos: string[], given?: Partial<Attempt>): Promise<(string | Error)[]>
  find(key: string, given?: Partial<Attempt>): Promise<string | null>
}

export function openErp(
  written: Record<string, unknown>,
  limits: { timeout?: number; concurrency?: number } = {},
): Erp {
  const options = files.options.parse({ write: { sale: {} }, ...written })
  return erpOver(files.create(options, { destination: 'erp', timeout: 5_000, concurrency: 4, ...limits }))
}

export function erpOver(instance: Pick<AdapterInstance, 'ports'> & AsyncDisposable): Erp {
  const books = instance.ports.backOffice ?? {}
  const erp: Erp = {
    books,
    async book(method, records, given = {}) {
      const batch = Object.entries(records).map(([key, argument]) => ({
        argument,
        attempt: attempt({ ...given, key }),
      }))
      const take = books[method] as ((all: unknown) => Promise<(Error | { note?: string })[]>) | undefined
      const results = (await take?.(batch)) ?? []
      expect(results).toHaveLength(batch.length)
      return results.map((result) => (result instanceof Error ? result : (result.note ?? '')))
    },
    sell: (receiptNos, given) =>
      erp.book('bookSale', Object.fromEntries(receiptNos.map((no) => [no, saleRecord(no)])), given),
    async find(key, given = {}) {
      const found = await books.find?.(attempt({ previous: 'open', firstTriedAt: Date.now(), ...given, key }), CALL)
      return found?.note ?? null
    },
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  }
  return erp
}

const CALL: BackOfficeCall = { port: 'backOffice', method: 'bookSale', argument: saleRecord('1') }

/** The one error that all of them ended with. */
export function onlyError(results: readonly (string | Error)[]): Error {
  const [first] = results
  if (!(first instanceof Error)) throw new Error(`It did not fail: ${first}`)
  for (const result of results) expect(result).toEqual(first)
  return first
}

/** What is said of a record that was written: `in sale-101-2026-08-03-<of its keys>.csv`. */
export function inFile(base: string): unknown {
  return expect.stringMatching(new RegExp(`^in ${base}-[0-9a-f]{16}\\.csv$`))
}
