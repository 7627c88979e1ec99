import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant } from '../domain/values/instant.ts'
import { type BookedAgain, bookAgain } from '../ingest/book-again.ts'
import type { Storage } from '../storage/storage.ts'
import { Day, didYouMean, partly, requireInOrder, requireReason, whole } from './asked.ts'
import type { AdminContext } from './context.ts'
import { post, type Route } from './routes.ts'

const Again = z.strictObject({
  destination: z.string(),
  from: Day,
  to: Day,
  flows: z.array(z.string()).min(1).nullable().default(null),
  goOn: whole.optional(),
  /** Although an act of the same was stopped. */
  anew: z.boolean().default(false),
  ...partly,
})

const ACTION = 'files-again'
const ENDED = `${ACTION}-ended`

const LOOKED = 500

export function fileRoutes({ storage, flows: allFlows, config, planning }: AdminContext): Route[] {
  const writers = config.destinations.filter(({ adapter }) => adapter === 'files').map(({ name }) => name)
  const booking = allFlows.filter(({ port }) => port === 'backOffice').map(({ name }) => name)

  return [
    post('/files/again', ACTION, Again, async ({ asked: body, begin, note }): Promise<BookedAgain> => {
      const { dryRun, reason, part, goOn, anew, ...asked } = body
      const { destination } = asked
      if (!writers.includes(destination))
        throw new UserError(
          `destination: "${destination}" writes no files; ${writers.join(', ') || 'no destination of the config'} does.`,
        )
      for (const flow of asked.flows ?? []) requireBooking(flow)
      requireInOrder(asked)
      requireReason({ dryRun, reason })
      if (anew && goOn !== undefined)
        throw new UserError('anew: it is all of it once more, and goOn is the rest: one of both.')
      const { flows, ...which } = asked
      const selection = { ...which, ...(flows && { flows }) }
      const how = { ...(part && { part }), ...(goOn && { goOn }) }
      if (!part?.after && part?.act == null && goOn === undefined && !anew) await refuseIfStopped(storage, selection)
      const act = await begin({ selection, reason }, { dryRun, ...how })
      const done = await bookAgain({ ...planning, storage, flows: allFlows }, asked, { act, ...how })
      if (act !== null && done.next === null) await note({ action: ENDED, selection: { act } })
      return done
    }),
  ]

  /** Throws a UserError for an unknown flow, of which nothing would be found. */
  function requireBooking(flow: string): void {
    if (!booking.includes(flow))
      throw new UserError(`flows: no flow "${flow}" writes for a back office. ${didYouMean(flow, booking, 'They are')}`)
  }
}

/** Throws a UserError if the last act of the same selection did not complete. */
async function refuseIfStopped(storage: Pick<Storage, 'acts'>, selection: object): Promise<void> {
  const asked = JSON.stringify(selection)
  const begun = await storage.acts({ action: ACTION, limit: LOOKED })
  const last = begun.find((each) => each.refused === null && each.selection === asked)
  if (last === undefined) return
  const ended = await storage.acts({ action: ENDED, since: last.at, limit: LOOKED })
  if (ended.some((each) => each.selection === JSON.stringify({ act: last.id }))) return
  throw new UserError(
    `Act ${last.id} of ${last.by} (${formatInstant(last.at)}) was of the same, and the audit does not say that it has come to its end: it was stopped, or is still under way. --go-on ${last.id} does what is left of it, where it is yours and not still under way; --anew does all of it once more.`,
  )
}
