import { BOOKING_NAMES, type BookingName, type Bookings } from '../../../domain/books/bookings.ts'
import { keyOfFirst } from '../../../domain/queue/sent-again.ts'
import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import type { Transport } from '../../../folders/transport.ts'
import type { Batch, BatchItem, BatchResult, Effect, FoundEffect } from '../../../ports/attempt.ts'
import type { BackOfficePort } from '../../../ports/back-office.ts'
import { deliveryError } from '../trouble.ts'
import { contentOf, type Rows, rowsOf } from './content.ts'
import { fileName } from './file-name.ts'
import { createOutbox } from './outbox.ts'
import { kindOf } from './records.ts'
import { createTally } from './tally.ts'
import type { Layout, WriteOptions } from './write-options.ts'

interface BackOffice extends AsyncDisposable {
  port: BackOfficePort
}

type Item = BatchItem<Bookings[BookingName]>

/** A record that goes into a file. */
interface Entry {
  key: string
  /** What the file is called, but for what tells it from others of that name. */
  base: string
  rows: Rows
}

/** Writes records into files: those of one call whose file has the same name, into one. Takes the kinds that config lists. */
export function createBackOffice(
  write: WriteOptions,
  transport: Transport,
  destination: string,
  now: () => number = Date.now,
): BackOffice {
  const outbox = createOutbox(transport, now)
  const errorOf = (error: unknown) => deliveryError(error, destination, transport.where)

  /** Throws a PermanentError for a record that cannot be written as config says. */
  function entryOf({ argument, attempt: { key } }: Item, method: BookingName, layout: Layout): Entry {
    // Records that are written once more go into another file of the same record.
    const named = keyOfFirst(key)
    const base = fileName(layout.name, { ...argument, kind: kindOf(method), key: named })
    try {
      return { key, base, rows: rowsOf(layout, method, argument, named) }
    } catch (cause) {
      const why = cause instanceof PermanentError ? cause.message : 'it is not as it should be'
      throw new PermanentError(`${destination}: this record cannot be written: ${why}`, { code: 'bad-record', cause })
    }
  }

  async function put(layout: Layout, entries: readonly Entry[], base: string, signal: AbortSignal): Promise<Effect> {
    const bytes = contentOf(
      layout,
      entries.map(({ rows }) => rows),
    )
    const keys = entries.map(({ key }) => key)
    return { note: `in ${await outbox.put({ base, extension: layout.format, bytes, keys }, signal)}` }
  }

  async function book(method: BookingName, layout: Layout, batch: readonly Item[]): Promise<BatchResult> {
    const [first] = batch
    if (!first) return []
    const entries = batch.map((item) => attempted(() => entryOf(item, method, layout)))
    const results = new Map<Entry | Error, Effect | Error>()
    let trouble: Error | null = null
    for (const [base, together] of Map.groupBy(entries.filter(isEntry), (entry) => entry.base)) {
      const result: Effect | Error = trouble ?? (await put(layout, together, base, first.attempt.signal).catch(errorOf))
      if (result instanceof RetryLaterError) trouble = result
      for (const entry of together) results.set(entry, result)
    }
    return entries.map((entry) => (isEntry(entry) ? (results.get(entry) as Effect | Error) : entry))
  }

  async function find(key: string, since: number | null, signal: AbortSignal): Promise<Effect | null> {
    try {
      const name = await outbox.find(key, since, signal)
      return name === null ? null : { note: `in ${name}` }
    } catch (error) {
      throw errorOf(error)
    }
  }

  /** The files that hold this key. */
  async function findAll(key: string, since: number | null, signal: AbortSignal): Promise<FoundEffect[]> {
    try {
      const written = await transport.use(signal, (files) => outbox.written(files, [key], since ?? 0))
      return (written.get(key) ?? []).map((theirId) => ({ theirId }))
    } catch (error) {
      throw errorOf(error)
    }
  }

  const methods = BOOKING_NAMES.flatMap((method) => {
    const layout = write[kindOf(method)]
    return layout ? [[method, (batch: Batch<Bookings[BookingName]>) => book(method, layout, batch)] as const] : []
  })
  return {
    port: {
      ...(Object.fromEntries(methods) as BackOfficePort),
      ...createTally({ transport, outbox, destination }),
      find: ({ key, firstTriedAt, signal }) => find(key, firstTriedAt, signal),
      findAll: ({ key, firstTriedAt, signal }) => findAll(key, firstTriedAt, signal),
    },
    [Symbol.asyncDispose]: () => outbox[Symbol.asyncDispose](),
  }
}

function attempted(make: () => Entry): Entry | Error {
  try {
    return make()
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

function isEntry(entry: Entry | Error): entry is Entry {
  return !(entry instanceof Error)
}
