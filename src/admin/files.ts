import { Router } from 'express'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import type { AgainAsked, BookedAgain } from '../inbox/book-again.ts'
import { suggest } from '../lib/suggest.ts'
import type { Part as Wanted } from '../store/screens.ts'
import type { Acts } from './acts.ts'
import { Day, parse, partly, requireInOrder, requireReason, whole } from './filters.ts'
import type { StoppedActs } from './stopped-acts.ts'

interface Options {
  /** Destinations that write files. */
  writers: readonly string[]
  flows: readonly Pick<Flow, 'name' | 'port'>[]
  bookAgain: (asked: AgainAsked, how: { act: number | null; part?: Wanted; goOn?: number }) => Promise<BookedAgain>
  acts: Acts
  stopped: StoppedActs
}

const Again = z.strictObject({
  destination: z.string(),
  from: Day,
  to: Day,
  flows: z.array(z.string()).min(1).nullable().default(null),
  /** The act that was stopped, and that this goes on with. */
  goOn: whole.optional(),
  /** All of it once more, although an act of the same was stopped. */
  anew: z.boolean().default(false),
  ...partly,
})

/** `/admin/files/again`: what was written of some days is written once more. */
export function createFilesAdmin({ writers, flows, bookAgain, acts, stopped }: Options): Router {
  const router = Router()
  const booking = flows.filter(({ port }) => port === 'backOffice').map(({ name }) => name)

  router.post('/again', acts.of('files-again'), async (request, response) => {
    const { dryRun, reason, part, goOn, anew, ...asked } = parse(Again, request.body)
    if (!writers.includes(asked.destination))
      throw new UserError(
        `destination: "${asked.destination}" writes no files; ${writers.join(', ') || 'no destination of the config'} does.`,
      )
    for (const flow of asked.flows ?? []) requireBooking(flow)
    requireInOrder(asked)
    requireReason({ dryRun, reason })
    if (anew && goOn !== undefined)
      throw new UserError('anew: it is all of it once more, and goOn is the rest: one of both.')
    const { flows, ...which } = asked
    const selection = { ...which, ...(flows && { flows }) }
    const isFirst = (part?.after ?? 0) === 0 && part?.act == null
    if (isFirst && goOn === undefined && !anew) await stopped.refuseIfStopped('files-again', selection)
    const act = await acts.begin(request, { action: 'files-again', selection, reason }, { dryRun, part, goOn })
    const done = await bookAgain(asked, { act, ...(part && { part }), ...(goOn && { goOn }) })
    if (act !== null && done.next === null) await stopped.noteEnd(request, 'files-again', act)
    response.json(done)
  })
  return router

  /** Throws a UserError for a flow that writes nothing: who mistypes one would be told that nothing was given in these days. */
  function requireBooking(flow: string): void {
    if (booking.includes(flow)) return
    const near = suggest(flow, booking)
    const hint = near === null ? `they are ${booking.join(', ')}` : `did you mean "${near}"?`
    throw new UserError(`flows: no flow "${flow}" writes for a back office; ${hint}`)
  }
}
