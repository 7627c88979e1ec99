import type { Database } from 'better-sqlite3'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { notThere } from '../../domain/values/text.ts'
import type { Operation, Result } from '../../lib/thread.ts'
import type { Owed } from '../owed.ts'
import { failure } from '../serve.ts'
import { createAccepting } from './accepting.ts'
import { createAcknowledging } from './acknowledging.ts'
import { createActs } from './acts.ts'
import { createApiKeys } from './api-keys.ts'
import { createChanging } from './changing.ts'
import { createCustomers } from './customers.ts'
import { createEndpointUses } from './endpoint-uses.ts'
import { isUnavailable } from './file/unavailable.ts'
import { createFindings } from './findings.ts'
import { createJobs } from './jobs.ts'
import { createKeys } from './keys.ts'
import { createKnown, createOwedBefore } from './known.ts'
import { createDelivering } from './lanes/delivering.ts'
import { createInFlight, createInFlightRows, type InFlight } from './lanes/in-flight.ts'
import { createPreparing } from './lanes/preparing.ts'
import { createLedger } from './ledger/ledger.ts'
import { createLookups } from './lookups.ts'
import { createMirror } from './mirror.ts'
import { createOwing } from './owing.ts'
import { createPast } from './past/past.ts'
import { createStoredPayloads } from './payloads/stored-payloads.ts'
import { createSwapping } from './payloads/swapping.ts'
import { createForgetting } from './people/forgetting.ts'
import { createProving } from './proving.ts'
import { createDropping } from './retention/dropping.ts'
import { createGoneEvents } from './retention/gone-events.ts'
import { createHolding } from './retention/holding.ts'
import { createOldRecords } from './retention/old-records.ts'
import { createSlices, type Slices } from './retention/slice.ts'
import { createSearching } from './searching.ts'
import { createStores } from './stores.ts'
import { createSubmissions } from './submissions.ts'

/** A file that is open for writing: every method runs in the transaction of its group. */
export function openWriter(
  db: Database,
  sameBytesWindow: number,
  slices: Slices = createSlices(),
  inFlight: InFlight = createInFlight(),
) {
  const keys = createKeys(db)
  const owing = createOwing(db, keys)
  const submissions = createSubmissions(db)
  const acknowledging = createAcknowledging(db)
  const proving = createProving(db, keys)
  const gone = createGoneEvents(db, slices)
  const payloads = createStoredPayloads(db)
  const past = createPast(db, slices)
  const parts = { keys, owing, payloads, submissions, acknowledging, proving, gone, slices }
  const accepting = createAccepting(db, parts, sameBytesWindow)
  const acts = createActs(db)
  const { owe } = owing
  const { endLeases, ...jobs } = createJobs(db)
  const { takeBack, ...delivering } = createDelivering(db, acknowledging, proving, slices, inFlight)
  const inFlightRows = createInFlightRows(db, inFlight)
  return {
    db,
    /** The last process's leftovers are taken over: keys to merge, claims and runs that nobody ends. */
    takeOver(now: Instant, allKeys = false) {
      inFlightRows.takeOver()
      takeBack(now)
      keys.takeOver(allKeys)
      acknowledging.forgetWaiting()
      proving.takeOver(now)
      endLeases()
    },
    writeInFlight: inFlightRows.write,
    rolledBack() {
      keys.rolledBack()
      owing.rolledBack()
      accepting.rolledBack()
      payloads.forget()
    },
    methods: {
      ...delivering,
      ...createPreparing(db, payloads, acknowledging, proving),
      ...createChanging(db, acknowledging, acts),
      noteAct: acts.noteAct,
      extendAct: acts.extendAct,
      ...jobs,
      ...createStores(db),
      ...createEndpointUses(db),
      ...createApiKeys(db),
      ...createCustomers(db),
      ...createLookups(db),
      ...createMirror(db),
      ...createFindings(db),
      ...createLedger(db, acts),
      ...createForgetting(db, keys),
      ...createDropping(db, keys, gone, slices),
      ...createOldRecords(db, slices),
      ...createHolding(db, acts),
      dropKnown: gone.dropKnown,
      nextReceived: gone.nextReceived,
      ...createSearching(db, payloads),
      ...createSwapping(db, payloads),
      movePast: past.movePast,
      accept: accepting.accept,
      seen: (origin: string, all: readonly string[]) => all.filter((key) => keys.has(origin, key)),
      known: createKnown(db, keys, gone),
      owedBefore: createOwedBefore(keys),
      endSubmission: submissions.end,
      owe(event: Parameters<typeof owe>[0], owed: Owed[], now: Instant, outDeliveries: number[], act?: number) {
        if (!owing.isThere(event.id)) throw new UserError(notThere('event', event.id))
        const nowOwed = owe(event, owed, now, new Set(outDeliveries), past.pastSteps(event.id))
        const added = nowOwed.ids.filter((id) => id > 0)
        if (added.length > 0) owing.routed(event.id)
        if (act !== undefined) acts.touch(act, added)
        return nowOwed
      },
    },
  }
}

type OpenWriter = ReturnType<typeof openWriter>
export type WriterMethods = OpenWriter['methods']

/** Operations, all in one transaction; if one fails by its own fault, each in a transaction of its own. */
export function runTogether(writer: OpenWriter, operations: Operation[]): Result[] {
  try {
    return transaction(writer, () => operations.map((operation) => ({ value: perform(writer, operation) })))
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (operations.length === 1) return [failure(error)]
    return operations.map((operation) => runAlone(writer, operation))
  }
}

/** An operation committed before the disk failed stays committed, and is told so. */
function runAlone(writer: OpenWriter, operation: Operation): Result {
  try {
    return transaction(writer, () => ({ value: perform(writer, operation) }))
  } catch (error) {
    return failure(error)
  }
}

export function transaction<T>(writer: OpenWriter, work: () => T): T {
  writer.db.exec('begin immediate')
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

function perform(writer: OpenWriter, { method, args }: Operation): unknown {
  const call = writer.methods[method as keyof WriterMethods] as (...args: unknown[]) => unknown
  return call(...args)
}
