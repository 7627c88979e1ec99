import type { Database } from 'better-sqlite3'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { notFoundText } from '../../domain/values/text.ts'
import { failure, type Operation, type Result } from '../../lib/thread.ts'
import { createKeyLookup } from '../accepting.ts'
import type { NewDelivery } from '../arrival.ts'
import type { Swap } from '../payloads/block.ts'
import { readToIndex, searching } from '../search-index.ts'
import { touchDeliveries } from '../tables/audit.ts'
import { mirrorWrites } from '../tables/mirror.ts'
import { archivedSteps } from '../tables/past.ts'
import { type BlockCache, swapPayloads } from '../tables/payloads.ts'
import { statements, transactions } from '../tables/tables.ts'
import { createAccepting, createEnqueuing, createKeys } from './accepting.ts'
import { createDropping, createForgetting, createSlices, type Slices } from './deleting.ts'
import { createDelivering, createInFlight, createInFlightRows, createPreparing, type InFlight } from './delivering.ts'
import { isUnavailable } from './file/unavailable.ts'
import { createTables } from './tables.ts'

export function openWriter(
  db: Database,
  sameBytesWindow: number,
  slices: Slices = createSlices(),
  inFlight: InFlight = createInFlight(),
) {
  const keys = createKeys(db)
  const { run, methods } = createTables(db)
  const enqueuing = createEnqueuing(db, keys, run, inFlight)
  const blocks: BlockCache = new Map()
  const parts = { keys, enqueuing, blocks, run, slices, inFlight }
  const accepting = createAccepting(db, parts, sameBytesWindow)
  const { enqueue } = enqueuing
  const endLeases = db.prepare('update jobs set lease_until = null where lease_until is not null')
  const { takeBack, forgetWaiting, deliverProven, ...delivering } = createDelivering(db, parts)
  const inFlightRows = createInFlightRows(db, inFlight)
  return {
    db,
    inFlight,
    takeOver(now: Instant, allKeys = false) {
      inFlightRows.takeOver()
      takeBack(now)
      keys.takeOver(allKeys)
      forgetWaiting()
      deliverProven(now)
      endLeases.run()
    },
    writeInFlight: inFlightRows.write,
    rolledBack() {
      for (const id of inFlight.ended) {
        inFlight.current.add(id)
        inFlight.changed.add(id)
      }
      keys.rolledBack()
      enqueuing.rolledBack()
      accepting.rolledBack()
      // Ids recur after a rollback.
      blocks.clear()
    },
    methods: {
      ...delivering,
      ...createPreparing(db, parts),
      ...methods(statements),
      ...methods(transactions),
      /** JSON: cloning as many objects takes twice as long. */
      saveMirror: (changes: string, now: Instant) => run(mirrorWrites.saveMirror(JSON.parse(changes), now)),
      ...createForgetting(db, keys),
      ...createDropping(db, run, keys, slices),
      unindexed: (room: { events: number; bytes: number }) =>
        run(readToIndex(run(searching.searchIndex()).upTo, Number.MAX_SAFE_INTEGER, room, blocks)),
      swapPayloads(swap: Swap): boolean {
        const isDone = run(swapPayloads(swap))
        if (isDone && swap.blocksOut.length > 0) blocks.clear()
        return isDone
      },
      accept: accepting.accept,
      ...methods(createKeyLookup(keys.store)),
      enqueue(event: Parameters<typeof enqueue>[0], pending: NewDelivery[], now: Instant, act?: number) {
        if (!enqueuing.isThere(event.id)) throw new UserError(notFoundText('event', event.id))
        const nowPending = enqueue(event, pending, now, run(archivedSteps(event.id)))
        const added = nowPending.ids.filter((id) => id > 0)
        if (added.length > 0) enqueuing.routed(event.id)
        if (act !== undefined) run(touchDeliveries(act, added))
        return nowPending
      },
    },
  }
}

type OpenWriter = ReturnType<typeof openWriter>
export type WriterMethods = OpenWriter['methods']

export function runTogether(writer: OpenWriter, operations: Operation[]): Result[] {
  try {
    const methods = writer.methods as unknown as Record<string, Method>
    return transaction(writer, () =>
      operations.map(({ method, args }) => ({ value: (methods[method] as Method)(...args) })),
    )
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (operations.length === 1) return [failure(error)]
    return operations.map((operation) => runAlone(writer, operation))
  }
}

function runAlone(writer: OpenWriter, operation: Operation): Result {
  try {
    const method = writer.methods[operation.method as keyof WriterMethods] as Method
    return transaction(writer, () => ({ value: method(...operation.args) }))
  } catch (error) {
    return failure(error)
  }
}

type Method = (...args: unknown[]) => unknown

export function transaction<T>(writer: OpenWriter, work: () => T): T {
  writer.db.exec('begin immediate')
  writer.inFlight.ended.clear()
  try {
    const result = work()
    writer.db.exec('commit')
    return result
  } catch (error) {
    if (writer.db.inTransaction) writer.db.exec('rollback')
    writer.rolledBack()
    throw error
  }
}
