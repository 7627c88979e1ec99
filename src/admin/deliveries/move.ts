import { Router } from 'express'
import { z } from 'zod'
import { UserError } from '../../domain/values/errors.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Changed, OwedByFlow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { parse, partly } from '../filters.ts'

interface Options {
  store: Pick<Store, 'move' | 'owedByFlow'>
  /** Names of the destinations that config has. */
  destinations: readonly string[]
  flows: readonly Flow[]
  /** Whether a destination gets steps of this flow at all. */
  carriesOut: (destination: string, flow: Flow) => boolean
  acts: Acts
}

export interface Moved extends Changed {
  /** The deliveries that stay, since the other destination cannot carry out their flow; told by the first part. */
  left: OwedByFlow[]
}

const Move = z.strictObject({
  from: z.string(),
  to: z.string(),
  flow: z.string().optional(),
  kind: z.string().optional(),
  ...partly,
})

/** `/admin/deliveries/move`: what is owed to one destination is owed to another one, as far as that one can carry it out. */
export function createMoveAdmin({ store, destinations, flows, carriesOut, acts }: Options): Router {
  const router = Router()

  router.post('/move', acts.of('move'), async (request, response) => {
    const { from, to, dryRun, reason, part, ...among } = parse(Move, request.body)
    const isFirst = (part?.act ?? null) === null
    // A later part may find that all has been moved.
    if (isFirst) await requireBoth(from, to)
    const able = new Set(flows.filter((flow) => isFor(to, flow)).map(({ name }) => name))
    const owed = isFirst ? await store.owedByFlow({ destination: from, ...among }) : []
    const audit = await acts.audit(request, 'move', { dryRun, reason, ...(part && { part }) })
    const moved = await store.move(from, to, audit, { ...among, flows: [...able] })
    response.json({ ...moved, left: owed.filter(({ flow }) => !able.has(flow)) } satisfies Moved)
  })
  return router

  /** The ids of whom a destination has to forget are its own, and sealed for it: by them another one has somebody else. */
  function isFor(to: string, flow: Flow): boolean {
    return flow.needsNotice !== true && carriesOut(to, flow)
  }

  /** Throws a UserError for a destination that is mistyped: nothing would be moved, or to where it never goes out. */
  async function requireBoth(from: string, to: string): Promise<void> {
    const known = destinations.join(', ') || 'none'
    if (!destinations.includes(to)) throw new UserError(`to: config has no destination "${to}"; it has ${known}.`)
    if (from === to) throw new UserError('from: it is the same as to.')
    if (destinations.includes(from) || (await store.owedByFlow({ destination: from })).length > 0) return
    throw new UserError(
      `from: config has no destination "${from}", and nothing is owed to one of that name; config has ${known}.`,
    )
  }
}
