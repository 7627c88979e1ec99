import type { FiscalReport } from '../../domain/books/fiscal.ts'
import { CERTIFIED_SETS, type Statement } from '../../domain/ledger/certificate/certificate.ts'
import { summaryOf } from '../../domain/ledger/certificate/summary.ts'
import { holesIn, type Range } from '../../domain/ledger/covered.ts'
import { dayRange } from '../../domain/ledger/day-range.ts'
import { unlistedStretch } from '../../domain/ledger/facts/unlisted.ts'
import { coversStore, type KeptGap } from '../../domain/ledger/gap.ts'
import { merged } from '../../domain/ledger/merged.ts'
import { stretchOf } from '../../domain/ledger/second-road.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'
import type { Mappings } from '../../payloads/mapping/mapping.ts'
import type { KeptStore } from '../../store/kept.ts'
import { type CompletenessContext, readCompleteness } from '../../store/read-completeness.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import type { Retaining } from '../retention/retention.ts'
import { notInMirror } from './not-in-mirror.ts'
import { certified, type DayRows, readDay, textOf } from './read-day.ts'

export type DayRecords = Pick<Store, 'watermarks' | 'oldestGaps' | 'gaps' | 'covered' | 'jobs'> &
  Parameters<typeof readDay>[0] &
  Parameters<typeof notInMirror>[0]

/** The hub's settings and state that a statement rests on, besides its records. */
export interface Means {
  completeness: CompletenessContext
  mappings: Mappings
  /** How long sets of the mirror are kept. */
  retaining: Pick<Retaining, 'ages' | 'off'>
}

/**
 * States what the hub has of one day of one store, and whether that is all. Throws a UserError for a day that is not over, or of which
 * rows are kept no more.
 */
export async function stateDay(
  records: DayRecords,
  { completeness, mappings, retaining }: Means,
  place: KeptStore,
  day: string,
  now: Instant,
): Promise<Statement> {
  const { storeId, number, name, zone } = place
  if (zone === null)
    throw new UserError(`store ${number ?? storeId}: its time zone is not known, so neither is its day.`)
  const whole = dayRange(day, zone)
  if (whole.to > now) throw new UserError(`day: ${day} ends in that store at ${formatInstant(whole.to)}.`)
  requireKept(day, retaining, now)
  // The rows are read last: an event that comes meanwhile is found where it is still owed, and is among them once it is not.
  const asked = { since: whole.from, until: whole.to, storeId, now }
  const { verdict, watermarks, unresolved } = await readCompleteness(records, completeness, asked)
  const waiting = await notInMirror(records, mappings, { place, whole })
  const [{ rows, doubtful }, gaps] = await Promise.all([
    readDay(records, { place, day, whole }),
    gapsOf(records, storeId, whole),
  ])
  const owed = [...unresolved, ...waiting, ...doubtful.map(ofAnother)]
  const listed = Object.fromEntries(CERTIFIED_SETS.map((set) => [set, rows[set].map(certified).sort(byIdentity)]))
  const lists = listed as Statement['rows']
  return {
    format: 'tillbridge-certificate-1',
    store: { id: storeId, number, name, zone },
    day,
    from: formatInstant(whole.from),
    to: formatInstant(whole.to),
    madeAt: formatInstant(now),
    madeBy: `Tillbridge ${OWN_VERSION}`,
    verdict: verdict === 'proven' && owed.length > 0 ? 'unknown' : verdict,
    watermarks: watermarks.map(({ level, kind, storeId: store, from, until, verdict: one }) => ({
      ...{ level, kind, store, verdict: one },
      ...{ from: formatInstant(from), until: formatInstant(until) },
    })),
    ranges: await rangesOf(records, [...new Set(watermarks.map(({ kind }) => kind))], storeId, whole),
    gaps,
    owed,
    settlements: settlementsOf(rows),
    sets: CERTIFIED_SETS.map((set) => summaryOf(set, lists[set])),
    rows: lists,
  }
}

/** Rows that nobody can tell from what another store did under the same number are on no list. */
function ofAnother({ set: kind, count }: { set: string; count: number }): NonNullable<Statement['owed']>[number] {
  return { kind, state: 'perhaps of another store', count, events: [], more: false }
}

/** Throws a UserError where retention has taken rows of a day from the mirror, or may have. */
function requireKept(day: string, { ages, off }: Means['retaining'], now: Instant): void {
  if (off) return
  for (const set of CERTIFIED_SETS) {
    const first = formatInstant(now - (ages.mirror[set] ?? 0)).slice(0, 10)
    if (ages.mirror[set] !== undefined && day < first)
      throw new UserError(`day: of ${set} the hub keeps what is of ${first} or later (retention.mirror.${set}).`)
  }
}

function byIdentity([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function settlementsOf({ settlements }: DayRows): Statement['settlements'] {
  return settlements.map(({ body }) => {
    const fiscal = body.fiscal as FiscalReport | null | undefined
    return {
      till: textOf(body.posId),
      number: fiscal?.number ?? textOf(body.batchNumber),
      grandTotal: textOf(body.grandTotal),
      counter: fiscal?.counters.net ?? null,
      currency: textOf(body.currency),
    }
  })
}

async function gapsOf(records: DayRecords, storeId: string, { from, to }: Range): Promise<Statement['gaps']> {
  const states = ['open', 'explained'] as const
  const all = (await Promise.all(states.map((state) => allGaps(records, { state })))).flat()
  const isOfDay = (gap: KeptGap) => {
    // A gap of a stretch of time may have begun days before.
    const stretch = stretchOf(gap) ?? unlistedStretch(gap) ?? { from: gap.at, to: gap.at + 1 }
    return stretch.from < to && stretch.to > from
  }
  const found = all.filter((gap) => isOfDay(gap) && coversStore(gap, storeId))
  return found.map(({ id, kind, cause, state, at, ended }) => ({
    ...{ id, kind, cause, state, at: formatInstant(at) },
    reason: ended?.reason ?? null,
  }))
}

/** Stretches of the day that the log was looked through for, by subscriptions of all stores or of this one. */
async function rangesOf(records: DayRecords, kinds: readonly string[], storeId: string, day: Range) {
  const ranges = kinds.map(async (kind) => {
    const scopes = [`${kind}/`, `${kind}/${storeId}`]
    const covered = await Promise.all(scopes.map((scope) => records.covered('log', scope)))
    const open = holesIn(merged(covered.flat()), day)
    return holesIn(open, day).map(({ from, to }) => ({ kind, from: formatInstant(from), to: formatInstant(to) }))
  })
  return (await Promise.all(ranges)).flat()
}
