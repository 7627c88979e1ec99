import type { Bookings } from '../../domain/accounting/bookings.ts'
import { asError } from '../../domain/values/errors.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { BackOfficeCall, BackOfficePort, Call } from '../../ports/ports.ts'
import { methodOf, type RecordKind } from '../shared/records.ts'
import { type Api, isFault } from './api.ts'
import { bookingSubject, canBeFound, findEffect, type Method, makeEffect } from './effects.ts'
import type { RestOptions } from './options.ts'

type Written = NonNullable<RestOptions['backOffice']>
type Name = keyof Bookings

interface Book extends Method {
  kind: RecordKind
}

export function createBackOffice(api: Api, written: Written, destination: string): BackOfficePort {
  const books = new Map<string, Book>()
  for (const [kind, effects] of Object.entries(written) as [RecordKind, Written[RecordKind]][]) {
    const where = `${destination}: backOffice.${kind}`
    if (effects) books.set(methodOf(kind), { kind, where, written: effects, once: true })
  }

  async function tell(book: Book, method: Name, batch: Batch<unknown>): Promise<BatchResult> {
    const results: (Effect | Error)[] = []
    for (const { argument, attempt } of batch) {
      const call = { port: 'backOffice', method, argument } as BackOfficeCall
      const subject = bookingSubject(book.kind, call, attempt.key)
      const result = await makeEffect(api, book, subject, attempt).catch(asError)
      results.push(result)
      if (isFault(result)) return [...results, ...batch.slice(results.length).map(() => result)]
    }
    return results
  }

  async function find(attempt: Attempt, call: Call): Promise<Effect | null> {
    const book = books.get(call.method)
    if (!book) return null
    return await findEffect(api, book, bookingSubject(book.kind, call as BackOfficeCall, attempt.key), attempt)
  }

  const methods = [...books].map(([method, book]) => [
    method,
    (batch: Batch<unknown>) => tell(book, method as Name, batch),
  ])
  return {
    ...(Object.fromEntries(methods) as Omit<BackOfficePort, 'find'>),
    ...([...books.values()].some(canBeFound) && { find }),
  }
}
