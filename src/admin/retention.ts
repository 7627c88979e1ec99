import { z } from 'zod'
import { type Archive, expiredOf, expiryOf, readManifest } from '../archive/archive.ts'
import { ageOf, type RetainReason } from '../domain/retention.ts'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant, type Instant } from '../domain/values/instant.ts'
import type { LegalHold, LegalHoldResult, StorageSize } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { eventsOnLegalHold, namedByGaps } from '../storage/walk-pages.ts'
import { dryRun, limit, Reason, requireReason, whole } from './asked.ts'
import type { AdminContext, SizeSeen } from './context.ts'
import { get, NOTHING, post, type Route } from './routes.ts'

interface PlannedMonth {
  kind: string
  /** `yyyy-mm`. */
  month: string
  events: number
  deliveries: number
  payloads: number
  bytes: number
}

export interface RetentionPlan {
  off: boolean
  goes: PlannedMonth[]
  /** Old enough, but retained. */
  stays: Partial<Record<RetainReason, number>>
  /** The figures are lower bounds. */
  partly: boolean
  size: StorageSize
  /** (bytes) */
  free: number | null
  daysLeft: number | null
  /** Files that would be deleted now, and the day of the next; or why that is not known. */
  archive: { files: number; bytes: number; next: string | null } | { problem: string } | null
}

const Those = z.strictObject({
  events: z
    .array(whole)
    .min(1, 'which events')
    .max(10_000)
    .transform((ids) => [...new Set(ids)]),
  reason: Reason,
  dryRun,
})
const Page = z.strictObject({ after: whole.default(0), limit: limit.default(50) })

export function retentionRoutes(context: AdminContext): Route[] {
  const { storage } = context
  const holding = (action: 'hold' | 'unhold', verb: Storage['holdEvents']) =>
    post(
      `/retention/${action}`,
      action,
      Those,
      async ({ asked: { events, ...how }, audit }): Promise<LegalHoldResult> => {
        requireReason(how)
        const by = await audit(how)
        requireHere(await verb(events, { ...by, dryRun: true }))
        return await verb(events, by)
      },
    )

  return [
    get('/retention/plan', NOTHING, () => planRetention(context)),
    get(
      '/retention/holds',
      Page,
      async ({ asked: { after, limit } }): Promise<{ holds: LegalHold[] }> => ({
        holds: await storage.legalHolds(after, limit),
      }),
    ),
    holding('hold', storage.holdEvents),
    holding('unhold', storage.unholdEvents),
  ]
}

const MAX_NAMED = 20

/** Throws a UserError: a mistyped id would lose what must be kept. */
function requireHere({ missing }: LegalHoldResult): void {
  if (missing.length === 0) return
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : ''
  throw new UserError(
    `events: there are none with these ids: ${missing.slice(0, MAX_NAMED).join(', ')}${more}. Nothing was changed; "tillbridge events list" shows ids, and "tillbridge archive search" finds what has gone.`,
  )
}

const PAGE = 2_000
const MAX_STANDING = 100_000

/** Of one answer (ms); then the figures are partial. */
const DEADLINE_MS = 20_000

async function planRetention(context: AdminContext): Promise<RetentionPlan> {
  const { storage, disk, remembered, clock } = context
  const { retention: ages } = context.config
  const { archive } = context.outside
  const now = clock.now()
  const began = performance.now()
  const [newest] = await storage.events({ limit: 1 })
  const last = newest?.id ?? 0
  const { upTo, events } = await storage.retained(last, MAX_STANDING)
  const why = new Map<number, RetainReason>(events.map((one) => [one.event, one.why]))
  for (const id of (await namedByGaps(storage)) ?? []) if (!why.has(id)) why.set(id, 'gap')
  const { sizes, bounds } = await remembered()
  const months = new Map<string, PlannedMonth>()
  const stays: RetentionPlan['stays'] = {}
  let after = 0
  let partly = upTo < last
  for (let young = false; !young; ) {
    const rows = await storage.ageing(after, PAGE)
    // Ids follow time: behind a page without old events there are none.
    young = rows.length < PAGE || !rows.some(({ kind, receivedAt }) => receivedAt < now - ageOf(ages, 'payloads', kind))
    for (const { id, kind, receivedAt, size, deliveries } of rows) {
      const isOver = receivedAt < now - ageOf(ages, 'events', kind)
      const losesBody = receivedAt < now - ageOf(ages, 'payloads', kind) && id > (bounds[kind] ?? 0)
      if (!isOver && !losesBody) continue
      const retained = why.get(id)
      if (retained !== undefined) {
        stays[retained] = (stays[retained] ?? 0) + 1
        continue
      }
      if (id > upTo || id === last) continue
      const month = monthOf(months, kind, formatInstant(receivedAt).slice(0, 7))
      if (isOver) {
        month.events += 1
        month.deliveries += deliveries
      }
      if (losesBody) {
        month.payloads += 1
        month.bytes += size
      }
    }
    after = rows.at(-1)?.id ?? after
    if (performance.now() - began <= DEADLINE_MS || young) continue
    partly = true
    break
  }
  const [size, free] = [await storage.size(), (await disk())?.free ?? null]
  const goes = [...months.values()].sort((a, b) => (a.month + a.kind < b.month + b.kind ? -1 : 1))
  const lasts = daysLeft([...sizes, { at: now, ...size, free }])
  const ofArchive = archive && (await planArchive(storage, archive, now))
  return { off: !ages.enabled, goes, stays, partly, size, free, daysLeft: lasts, archive: ofArchive }
}

async function planArchive(
  storage: Pick<Storage, 'legalHolds'>,
  { use, keep }: Archive,
  now: Instant,
): Promise<RetentionPlan['archive']> {
  try {
    const all = await use(AbortSignal.timeout(DEADLINE_MS), readManifest)
    const goes = expiredOf(all, keep, await eventsOnLegalHold(storage), now)
    const later = all.map((file) => expiryOf(file, keep)).filter((at) => at > now)
    return {
      files: goes.length,
      bytes: goes.reduce((sum, { bytes }) => sum + bytes, 0),
      next: later.length === 0 ? null : formatInstant(later.reduce((a, b) => Math.min(a, b))).slice(0, 10),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { problem: error.message }
  }
}

function monthOf(months: Map<string, PlannedMonth>, kind: string, month: string): PlannedMonth {
  const key = `${month} ${kind}`
  const known = months.get(key) ?? { kind, month, events: 0, deliveries: 0, payloads: 0, bytes: 0 }
  months.set(key, known)
  return known
}

const DAY = 24 * 3_600_000

/** Days until the disk is full, from sizes with at least a day between them; null: unknown, or no growth. */
export function daysLeft(sizes: readonly SizeSeen[]): number | null {
  const [first, last] = [sizes[0], sizes.at(-1)]
  if (!first || !last || last.free === null || last.at - first.at < DAY) return null
  const used = (size: SizeSeen) => size.bytes - size.reusable
  const growth = ((used(last) - used(first)) / (last.at - first.at)) * DAY
  return growth <= 0 ? null : Math.floor((last.free + last.reusable) / growth)
}
