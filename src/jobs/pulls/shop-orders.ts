import { z } from 'zod'
import { messageOf, RetryLaterError, StorageUnavailableError } from '../../domain/values/errors.ts'
import { countTexts, stripPrefix } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Intake, IntakeEnd, IntakeItem } from '../../ports/ports.ts'
import type { HubJob } from '../engine/job.ts'

interface Shop {
  name: string
  intake: Pick<Intake, 'poll' | 'taken'>
}

interface Options {
  systems: readonly Shop[]
  /** Durably and once. */
  take(shop: string, items: readonly IntakeItem[]): Promise<readonly IntakeEnd[]>
  reached?(shop: string): void
  clock: Pick<Clock, 'now'>
  logger: Logger
}

const MAX_PAGES = 200

const TIMEOUT_MS = 60_000

/** Own systems without a stored connection date are taken to be connected for so long (ms). */
const ASKED_BEFORE = 30 * 86_400_000

const State = z
  .object({ cursors: z.record(z.string(), z.string()), connected: z.record(z.string(), z.number()).default({}) })
  .catch(() => ({ cursors: {}, connected: {} }))

/** Polls own systems for what their webhooks lost. The cursor is stored after its page: a page may come twice. */
export function shopOrdersJob({ systems, take, reached = () => {}, clock, logger }: Options): HubJob {
  const shops = systems.filter((shop): shop is Asked => shop.intake.poll !== undefined)
  return {
    name: 'shop-orders',
    async run({ signal, state, save }) {
      const { cursors, connected } = State.parse(state)
      const keep = () => save({ cursors, connected })
      if (noteConnected(connected, cursors)) await keep()
      if (signal.aborted) throw signal.reason
      const settled = await Promise.allSettled(shops.map((shop) => readShop(shop, cursors, signal, keep)))
      if (signal.aborted) throw signal.reason
      const read = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const failed = settled.flatMap((one, index) =>
        one.status === 'rejected' ? [{ name: shops[index]?.name ?? '', error: one.reason as unknown }] : [],
      )
      const note = summaryOf(read)
      for (const { name, problem } of read) if (problem !== null) failed.push({ name, error: new Error(problem) })
      if (failed.length === 0) return { state: { cursors, connected }, note }
      throw failureOf(failed, note)
    },
  }

  /** Returns true if anything changed. A date in the future was written by a clock that was ahead. */
  function noteConnected(connected: Record<string, number>, cursors: Record<string, string>): boolean {
    const now = clock.now()
    const unknown = systems.filter(({ name }) => !(Object.hasOwn(connected, name) && (connected[name] ?? 0) <= now))
    for (const { name } of unknown) connected[name] = now - (Object.hasOwn(cursors, name) ? ASKED_BEFORE : 0)
    return unknown.length > 0
  }

  async function readShop(
    { name, intake }: Asked,
    cursors: Record<string, string>,
    signal: AbortSignal,
    keep: () => Promise<void>,
  ): Promise<Read> {
    const read: Read = { name, taken: 0, quarantined: 0, problem: null }
    for (let page = 0; page < MAX_PAGES; page++) {
      const before = cursors[name] ?? null
      const question = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) }
      const polled = await intake.poll(before, question)
      reached(name)
      const { items, cursor, more } = polled
      const taken = await take(name, items)
      await intake.taken?.(polled, taken, question)
      const refused = taken.filter(({ status }) => status === 'refused').length
      if (refused > 0) logger.error({ destination: name, refused }, 'intake.refused')
      read.taken += taken.filter(({ status }) => status === 'accepted').length
      read.quarantined += taken.filter(({ status }) => ['quarantined', 'refused'].includes(status)).length
      read.problem = polled.problem ?? read.problem
      cursors[name] = cursor
      if (cursor !== before) await keep()
      if (!more) return read
      if (cursor === before)
        throw new RetryLaterError('it says that there is more, but its cursor does not move', { code: 'cursor-stands' })
    }
    logger.warn({ destination: name, pages: MAX_PAGES }, 'shop-orders.more-to-read')
    return read
  }
}

type Asked = Shop & { intake: Required<Pick<Intake, 'poll'>> & Shop['intake'] }

interface Read {
  name: string
  taken: number
  quarantined: number
  problem: string | null
}

function summaryOf(read: readonly Read[]): string {
  const reported = read
    .filter(({ taken, quarantined }) => taken + quarantined > 0)
    .map(({ name, taken, quarantined: unreadable }) => [`${name}: ${taken} new`, ...countTexts({ unreadable })])
  return reported.map((parts) => parts.join(', ')).join('; ') || 'nothing new'
}

function failureOf(failed: readonly { name: string; error: unknown }[], note: string): unknown {
  const unavailable = failed.find(({ error }) => error instanceof StorageUnavailableError)
  if (unavailable) return unavailable.error
  const why = failed.map(({ name, error }) => `${name}: ${stripPrefix(name, messageOf(error))}`)
  const details = { code: 'shop-orders-incomplete', cause: failed[0]?.error }
  return new RetryLaterError(`${why.join('; ')}. Of the others: ${note}`, details)
}
