import { JOBS } from '../../config/jobs.ts'
import type { JobRow } from '../../domain/health/job-status.ts'
import { MIRROR } from '../../domain/queue/event.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { partsOf } from '../../lib/parts.ts'
import type { Platform } from '../../platform/platform.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { productIn } from '../products/read.ts'
import { keptRetailLists } from '../products/retail.ts'
import { believed, ProductsState } from '../products/state.ts'
import { type Check, readCheck } from './check.ts'
import { keepDated } from './dated.ts'
import { createFinder } from './find.ts'
import { judge, judgeCheck, latest, type Verdict } from './judge.ts'
import { type Differences, openDifferences } from './rows.ts'
import { createWalk, firstState, ReadBackState, wantedReading } from './walk.ts'

interface Options {
  platform: Pick<Platform, 'products'>
  store: Pick<
    Store,
    | 'jobs'
    | 'status'
    | 'deliveries'
    | 'event'
    | 'links'
    | 'mirrorRows'
    | 'mirrorPage'
    | 'saveMirror'
    | 'findings'
    | 'saveFindings'
  >
  /** How long a change may take to be seen everywhere (milliseconds). */
  settles: number
  clock: Pick<Clock, 'now'>
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** The jobs' names: each goes by what the other left. */
const PRODUCTS = 'products'
const READ_BACK = 'read-back'

/** The most submissions that are checked together. */
const SUBMISSIONS_PER_CHECK = 2_000

/** A run that has found so many differences leaves the rest to the next one. */
const MANY = 5_000

/** The most rows that are read at once. */
const AT_ONCE = 500

/** The most products that were not there and are looked for again in a run. */
const LOOKED_FOR = 100

/**
 * Reads back what own systems submitted and the platform acknowledged: products and prices, once the platform's 15 minutes
 * have passed (spec, Limits 2) and the job `products` has read what came of them. What differs is reported, and corrected by
 * nobody: whose data it is sends it again.
 */
export function readBackJob(options: Options): HubJob {
  const { store, settles, clock, logger, schedule = JOBS['read-back'].schedule } = options
  return {
    name: READ_BACK,
    schedule,
    async run({ signal, state: left }) {
      const now = clock.now()
      const state = ReadBackState.safeParse(left).data ?? firstState(now)
      const products = believed(ProductsState.parse(stateIn(await store.jobs(), PRODUCTS)), now)
      if (products.endedAt === null) return { state, note: 'products are not read yet' }
      if (await isBehind(products.endedAt)) return { state, note: 'what was read of products is not mirrored yet' }

      const walk = createWalk({ store, state, products, settles, now })
      const find = createFinder(options)
      const differences = await openDifferences(store, await keptRetailLists(store), now)
      const wrong: Verdict[] = []
      const counts = { products: 0, prices: 0 }

      await checkAll(await notThere(differences))
      while (wrong.length < MANY) {
        const rows = await walk.next(SUBMISSIONS_PER_CHECK, signal)
        if (rows.length === 0) break
        for (const { flow } of rows) counts[flow === 'save-prices' ? 'prices' : 'products'] += 1
        await checkAll(rows)
      }
      for (const verdict of await latest(store, wrong, signal)) differences.note(verdict)
      await lookAgain(differences, now, signal)
      const { more, gone, open } = await differences.save()
      if (more > 0) logger.warn({ more, open }, 'products.differ')
      const checked = `${counted(counts.products, 'product')}, ${counted(counts.prices, 'price')}`
      return {
        state: walk.state(),
        note: `${checked}: ${counted(more, 'difference')} more, ${gone} gone, ${open} open`,
      }

      async function checkAll(rows: readonly DeliveryRow[]): Promise<void> {
        const checks: Check[] = []
        for (const row of rows) {
          signal.throwIfAborted()
          const check = await readCheck(store, row)
          if (check !== null) checks.push(check)
        }
        const names = checks.map(({ product }) => product)
        const found = await find(names, signal)
        for (const check of checks) {
          const product = found.get(check.product) ?? null
          if (product === 'not-asked') walk.pend(check.delivery, 0)
          else if (await holdsNow(check, product?.productId ?? null))
            for (const verdict of await judgeCheck(store, check, product, now)) {
              if (verdict.wrong !== null) wrong.push(verdict)
              else if (differences.concerns(verdict)) differences.note(verdict)
            }
        }
      }

      /** A price that does not hold yet is read back once it does, and everything was read after that. */
      async function holdsNow({ dated, delivery, settledAt }: Check, productId: string | null): Promise<boolean> {
        if (dated === null) return true
        if (dated.to <= now) return false
        if (productId !== null) await keepDated(store, dated, productId, now)
        const seen = dated.from + settles
        if (dated.from <= settledAt || (products.full !== null && products.full >= seen)) return true
        walk.pend(delivery, seen)
        return false
      }
    },
  }

  /** The mirror is a destination like others: it may have more to do than it has done. */
  async function isBehind(readUntil: Instant): Promise<boolean> {
    const { destinations } = await store.status()
    const lane = destinations.find(({ destination, urgency }) => destination === MIRROR && urgency === 'bulk')
    return (
      lane !== undefined &&
      lane.waiting > lane.retrying &&
      lane.oldestWaiting !== null &&
      lane.oldestWaiting <= readUntil
    )
  }

  /** Submissions of products that were not there: they may be by now. */
  async function notThere({ open }: Differences): Promise<DeliveryRow[]> {
    const missing = [...open.values()].filter(({ said }) => said.about === 'product').slice(0, LOOKED_FOR)
    const rows: DeliveryRow[] = []
    for (const { delivery } of missing) rows.push(...(await store.deliveries({ id: delivery })))
    return rows
  }

  /** Looks again at differences of before of which nothing was submitted since. */
  async function lookAgain(differences: Differences, now: Instant, signal: AbortSignal): Promise<void> {
    for (const some of partsOf(differences.rest(), AT_ONCE)) {
      signal.throwIfAborted()
      const rows = await store.mirrorRows('products', [...new Set(some.flatMap(({ productId }) => productId ?? []))])
      const byId = new Map(rows.map((row) => [row.key, productIn(row)]))
      for (const { productId, subject, said, delivery } of some) {
        if (productId === null) continue
        const product = byId.get(productId) ?? null
        const wrong = await judge(store, said, product, now)
        const check = { delivery, entity: null, settledAt: now }
        if (wrong !== undefined) differences.note({ check, subject, product, said, wrong })
      }
    }
  }
}

/** Since when all products must have been read again, for prices that have begun to hold; null: they were. */
export async function wantedByReadBack(store: Pick<Store, 'jobs'>, now: Instant): Promise<Instant | null> {
  return wantedReading(ReadBackState.safeParse(stateIn(await store.jobs(), READ_BACK)).data ?? null, now)
}

function stateIn(rows: readonly JobRow[], name: string): unknown {
  return JSON.parse(rows.find((row) => row.name === name)?.state ?? 'null')
}
