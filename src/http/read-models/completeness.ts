import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { LEVELS } from '../../domain/completeness/completeness.ts'
import { requestedRange } from '../../domain/completeness/covered.ts'
import { READ_COMPLETENESS } from '../../domain/scope.ts'
import { type IndexedStore, presentOn, type StoreIndex, storesNumbered } from '../../domain/stores/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { type CompletenessContext, readCompleteness } from '../../storage/read-completeness.ts'
import type { Storage } from '../../storage/storage.ts'
import type { createApiKeyCheck } from '../api-key.ts'
import { day, name, readQuery } from '../query.ts'

interface Options {
  check: ReturnType<typeof createApiKeyCheck>
  storage: Pick<Storage, 'watermarks' | 'oldestGaps' | 'jobs'>
  storeIndex: () => StoreIndex
  completeness: CompletenessContext
  clock: Pick<Clock, 'now'>
}

export const COMPLETENESS_PARAMETERS = {
  until: {
    about: 'Until then; otherwise until lately.',
    schema: { type: 'string', format: 'date-time' },
    value: z.iso.datetime({ offset: true, error: 'expected an instant, such as 2026-11-20T22:00:00Z' }),
  },
  day: day('From the beginning of that day to its end, by the clocks of the stores; in place of until.'),
  store: name('In the store with this number.'),
}

/** For systems that close a day on it. */
export function createCompletenessRead({ check, storage, storeIndex, completeness, clock }: Options): Router {
  const router = Router()
  router.get('/v1/completeness', check(READ_COMPLETENESS), async (request, response) => answer(request, response))
  return router

  async function answer(request: Request, response: Response): Promise<void> {
    const data = readQuery(request, COMPLETENESS_PARAMETERS)
    const index = storeIndex()
    const one = data.store === undefined ? null : storeOf(data.store, index)
    const until = data.until === undefined ? undefined : Date.parse(data.until)
    const time = requestedRange({ day: data.day, until }, one === null ? presentOn(index.stores, data.day) : [one])
    const asked = { ...time, storeId: one?.storeId ?? null, now: clock.now() }
    const { verdict, watermarks, unresolved, notWatched } = await readCompleteness(storage, completeness, asked)
    response.set('Cache-Control', 'no-store').json({
      verdict,
      unresolved,
      notWatched,
      watermarks: watermarks.map(({ level, kind, from, until, verdict, gaps, neverScanned, storeId }) => ({
        ...{ level, kind, from: formatInstant(from), until: formatInstant(until), verdict, gaps, neverScanned },
        store: storeId === null ? null : (index.numberOfStore(storeId) ?? storeId),
      })),
    })
  }
}

function storeOf(number: string, { stores }: StoreIndex): IndexedStore {
  const numbered = storesNumbered(stores, number)
  const present = numbered.filter(({ goneAt }) => !goneAt)
  // A closed store has a last day, too.
  const found = present.length > 0 ? present : numbered
  const [first] = found
  if (first === undefined) throw new UserError(`store: no store ${JSON.stringify(number)} is known.`)
  if (found.length > 1)
    throw new UserError(`store: several stores have the number ${JSON.stringify(number)}: ask without it.`)
  return first
}

const verdict = z
  .enum(['proven', 'gaps', 'unknown'])
  .describe('proven: nothing is missing. gaps: something is. unknown: not checked, or not lately.')
const count = z.int().min(0)

export const CompletenessAnswer = z.object({
  verdict,
  unresolved: z
    .array(
      z.object({
        ...{ kind: z.string(), state: z.enum(['conflict', 'quarantined']), count },
        events: z.array(z.int()).describe('The ids of the newest ones.'),
        more: z.boolean().describe('There may be more.'),
      }),
    )
    .describe(
      'Events in conflict or in quarantine that no operator has dismissed: while there are any, nothing is proven.',
    ),
  notWatched: z
    .array(
      z.object({ kind: z.string(), wanted: z.boolean().describe('Config subscribes to it: then nothing is proven.') }),
    )
    .describe('Kinds of the platform of which nothing tells: the verdict says nothing of them.'),
  watermarks: z.array(
    z.object({
      level: z.enum(LEVELS).describe('What it rests on: event log, facts that are pulled, POS counters.'),
      kind: z.string(),
      store: z.string().nullable().describe('Its number; null: every store without a line of its own.'),
      ...{ from: z.iso.datetime(), until: z.iso.datetime(), verdict, gaps: count },
      neverScanned: z.boolean().describe('It was not scanned yet: from and until say nothing.'),
    }),
  ),
})
