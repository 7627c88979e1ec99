import { Router } from 'express'
import { z } from 'zod'
import { CAUSE_NAMES, CAUSES, ROADS } from '../domain/ledger/causes.ts'
import { GAP_STATES, type KeptGap } from '../domain/ledger/gap.ts'
import { notThere } from '../domain/values/text.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { requireStoreId } from './asked-store.ts'
import { notFound } from './asking.ts'
import { Day, limit, parse, partly, refuseEverything, requireReason, whole, wholeId } from './filters.ts'
import type { Hinted, Hints } from './hints.ts'

interface Options {
  store: Pick<Store, 'gaps' | 'explainGaps' | 'stores'>
  hints: Hints
  acts: Acts
}

/** A gap with what its cause means, and the command that mends it. */
export interface ToldGap extends KeptGap {
  words: string
  mends: string
}

/** A list of gaps. */
export interface GapList extends Hinted {
  gaps: ToldGap[]
}

const GapSelection = z.strictObject({
  id: whole.optional(),
  state: z.enum(GAP_STATES).optional(),
  road: z.enum(ROADS).optional(),
  cause: z.enum(CAUSE_NAMES).optional(),
  kind: z.string().optional(),
  storeId: z.string().optional(),
  destination: z.string().optional(),
  day: Day.optional(),
})
const Page = GapSelection.extend({ after: whole.default(0), limit: limit.default(50) })
const Selected = z.strictObject({ filter: GapSelection.omit({ state: true }), ...partly })

/** The fields of a filter that select gaps, in the words of the command line. */
const WHICH = ['road', 'cause', 'kind', 'store-id', 'destination', 'day']

/** `/admin/gaps`: what is not proven to be here, in the order in which it was found. */
export function createGapsAdmin({ store, hints, acts }: Options): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const { after, limit, ...filter } = parse(Page, request.query)
    await requireKnown(filter)
    const gaps = (await store.gaps(filter, after, limit)).map(told)
    response.json({ gaps, hint: gaps.length === 0 ? hints.of(filter) : null } satisfies GapList)
  })
  router.get('/:id', async (request, response) => {
    const [gap] = await store.gaps({ id: parse(wholeId('a gap', 'gaps list'), request.params.id) }, 0, 1)
    if (!gap) return notFound(response, notThere('gap', request.params.id))
    response.json(told(gap))
  })
  // A person who says that nothing is missing says why.
  router.post('/explain', acts.of('explain'), async (request, response) => {
    const { filter, ...how } = parse(Selected, request.body)
    refuseEverything(filter, WHICH)
    requireReason(how)
    await requireKnown(filter)
    const explained = await store.explainGaps(filter, await acts.audit(request, 'explain', how))
    response.json({ ...explained, hint: explained.matched === 0 ? hints.of(filter) : null })
  })
  return router

  /** Throws a UserError for a store of which nobody knows: it has no gaps whatever is missing. A gap may be older than the list of stores. */
  async function requireKnown({ storeId }: { storeId?: string }): Promise<void> {
    if (storeId === undefined || (await store.gaps({ storeId }, 0, 1)).length > 0) return
    requireStoreId(storeId, await store.stores())
  }
}

function told(gap: KeptGap): ToldGap {
  const { words, mends } = CAUSES[gap.cause]
  const { delivery } = gap.evidence.destination ?? {}
  return { ...gap, words, mends: mends.replace('<id>', String(gap.id)).replace('<delivery>', String(delivery)) }
}
