import { Router } from 'express'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import type { AgainAsked, BookedAgain } from '../inbox/book-again.ts'
import type { Part as Wanted } from '../store/screens.ts'
import type { Acts } from './acts.ts'
import { Day, parse, partly, requireInOrder, requireReason, whole } from './filters.ts'

interface Options {
  /** Destinations that write files. */
  writers: readonly string[]
  bookAgain: (asked: AgainAsked, how: { act: number | null; part?: Wanted; goOn?: number }) => Promise<BookedAgain>
  acts: Acts
}

const Again = z.strictObject({
  destination: z.string(),
  from: Day,
  to: Day,
  flows: z.array(z.string()).min(1).nullable().default(null),
  /** The act that was stopped, and that this goes on with. */
  goOn: whole.optional(),
  ...partly,
})

/** `/admin/files/again`: what was written of some days is written once more. */
export function createFilesAdmin({ writers, bookAgain, acts }: Options): Router {
  const router = Router()

  router.post('/again', acts.of('files-again'), async (request, response) => {
    const { dryRun, reason, part, goOn, ...asked } = parse(Again, request.body)
    if (!writers.includes(asked.destination))
      throw new UserError(
        `destination: "${asked.destination}" writes no files; ${writers.join(', ') || 'no destination of the config'} does.`,
      )
    requireInOrder(asked)
    requireReason({ dryRun, reason })
    const { flows, ...which } = asked
    const selection = { ...which, ...(flows && { flows }) }
    const act = await acts.begin(request, { action: 'files-again', selection, reason }, { dryRun, part, goOn })
    response.json(await bookAgain(asked, { act, ...(part && { part }), ...(goOn && { goOn }) }))
  })
  return router
}
