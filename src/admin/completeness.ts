import { z } from 'zod'
import { requestedRange } from '../domain/completeness/covered.ts'
import {
  CAUSE_NAMES,
  CAUSES,
  GAP_STATES,
  type GapCount,
  RECONCILIATION_SOURCES,
  remedyFor,
  type StoredGap,
} from '../domain/completeness/gap.ts'
import { presentOn } from '../domain/stores/store-index.ts'
import { notFoundText } from '../domain/values/text.ts'
import {
  type CompletenessResult,
  readCompleteness,
  readSecondSource,
  readThere,
  type SecondSource,
  type There,
} from '../storage/read-completeness.ts'
import { askedStore, Day, type Hinted, hintOf, idIn, limit, requireStoreId, when, whole } from './asked.ts'
import type { AdminContext } from './context.ts'
import { change, get, NOTHING, notFound, type Route } from './routes.ts'

const DAY_MS = 86_400_000

const Asked = z.strictObject({ until: when.optional(), day: Day.optional(), store: z.string().optional() })

/** `store`: number or platform id; `day`: by the clocks of the stores. */
export function completenessRoutes({ storage, completeness, clock }: AdminContext): Route[] {
  return [
    get(
      '/completeness',
      Asked,
      async ({ asked: { store, ...time } }): Promise<CompletenessResult & SecondSource & There> => {
        const stores = await storage.stores()
        const one = store === undefined ? null : askedStore(store, stores)
        const storeId = one?.storeId ?? null
        const of = one === null ? presentOn(stores, time.day) : [one]
        const asked = { ...requestedRange(time, of), storeId, now: clock.now() }
        const [answer, second, there] = await Promise.all([
          readCompleteness(storage, completeness, asked),
          readSecondSource(storage, { day: time.day, storeId }),
          readThere(storage, asked),
        ])
        return { ...answer, ...second, ...there }
      },
    ),
  ]
}

export interface GapView extends StoredGap {
  words: string
  remedy: string
}

/** Open gaps of one cause; `recent`: first seen within a day. */
export type GapClass = GapCount & Pick<GapView, 'words' | 'remedy'>

export interface GapList extends Hinted {
  gaps: GapView[]
}

const GapFilter = z.strictObject({
  id: whole.optional(),
  state: z.enum(GAP_STATES).optional(),
  source: z.enum(RECONCILIATION_SOURCES).optional(),
  cause: z.enum(CAUSE_NAMES).optional(),
  kind: z.string().optional(),
  storeId: z.string().optional(),
  destination: z.string().optional(),
  day: Day.optional(),
})
const Page = GapFilter.extend({ after: whole.default(0), limit: limit.default(50) })
const GapSelection = GapFilter.omit({ state: true })

const WHICH = ['source', 'cause', 'kind', 'store-id', 'destination', 'day']

export function gapRoutes(context: AdminContext): Route[] {
  const { storage } = context

  /** Throws a UserError for an unknown store without gaps; a gap may be older than the list of stores. */
  async function requireKnown({ storeId }: { storeId?: string }): Promise<void> {
    if (storeId === undefined || (await storage.gaps({ storeId }, 0, 1)).length > 0) return
    requireStoreId(storeId, await storage.stores())
  }

  return [
    get('/gaps', Page, async ({ asked: { after, limit, ...filter } }): Promise<GapList> => {
      await requireKnown(filter)
      const gaps = (await storage.gaps(filter, after, limit)).map(gapView)
      return { gaps, hint: gaps.length === 0 ? hintOf(filter, context) : null }
    }),

    get('/gaps/counts', NOTHING, async (): Promise<{ classes: GapClass[] }> => {
      const counts = await storage.gapCounts(context.clock.now() - DAY_MS)
      return {
        classes: counts.map((one) => ({ ...one, words: CAUSES[one.cause].words, remedy: CAUSES[one.cause].remedy })),
      }
    }),

    get('/gaps/:id', NOTHING, async ({ params: { id } }): Promise<GapView> => {
      const [gap] = await storage.gaps({ id: idIn(id, 'a gap', 'gaps list') }, 0, 1)
      if (!gap) throw notFound(notFoundText('gap', String(id)))
      return gapView(gap)
    }),

    change(context, '/gaps/explain', 'explain', { selection: GapSelection, which: WHICH }, async (filter, audit) => {
      await requireKnown(filter)
      return await storage.explainGaps(filter, audit)
    }),
  ]
}

function gapView(gap: StoredGap): GapView {
  const { words, remedy } = CAUSES[gap.cause]
  return { ...gap, words, remedy: remedyFor(gap, remedy) }
}
