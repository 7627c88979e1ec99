import { setTimeout as rest } from 'node:timers/promises'
import { z } from 'zod'
import type { Archive } from '../../archive/archive.ts'
import { NOTICE_KEYS, readNamedKey } from '../../domain/privacy/notice.ts'
import { codeOf } from '../../domain/queue/search-keys.ts'
import { type Ages, ageOf, agesOf, type Part } from '../../domain/retention.ts'
import { type Instant, isInFuture } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { SearchIndex } from '../../ingest/search-index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PersonalRow } from '../../storage/personal-places.ts'
import type { AgeingEvent } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'

export type Pruned = Record<'events' | 'deliveries' | 'attempts' | 'payloads' | 'keys' | 'records', number>

export interface Pruning {
  storage: Storage
  ages: Ages
  now: Instant
  state: RetentionState
  pace: Pace
  signal: AbortSignal
  saved(): Promise<void>
  archive: Archive | null
}

const Size = z.object({ at: z.number(), bytes: z.number(), reusable: z.number(), free: z.number().nullable() })

/** Lost state is found again by the ages. */
const RetentionState = z.object({
  /** By part and age (`events:34560000000`): the last event walked. */
  upTo: z.record(z.string(), z.number()).default(() => ({})),
  bounds: z.record(z.string(), z.number()).default(() => ({})),
  stayed: z.array(z.number()).default(() => []),
  /** Cursor of the pass over the keys, and its last event. */
  keyAt: z.string().default(''),
  keysBound: z.number().default(0),
  restarted: z.number().default(0),
  /** When a run last believed the clock; 0: never. */
  ranAt: z.number().default(0),
  /** Where an archive with files is. */
  archive: z.string().default(''),
  /** Ages and archive under which `bounds` and `stayed` hold. */
  madeUnder: z.string().default(''),
  sizes: z.array(Size).default(() => []),
})

export type RetentionState = z.output<typeof RetentionState>

export function readRetentionState(state: unknown): RetentionState {
  return RetentionState.safeParse(state ?? {}).data ?? RetentionState.parse({})
}

/** Restarts the walk of payloads if ages or archive have changed. */
export function forgetIfChanged(state: RetentionState, ages: Ages, where: string | null): void {
  const usual = Math.min(ages.events, ages.payloads)
  const kinds = Object.keys(ages.kinds).map((kind) => [kind, ageOf(ages, 'payloads', kind)] as const)
  const others = kinds.filter(([, age]) => age !== usual).sort(([a], [b]) => (a < b ? -1 : 1))
  const now = JSON.stringify({ where, usual, kinds: others })
  if (state.madeUnder === now) return
  for (const name of Object.keys(state.upTo)) if (name.startsWith('payloads:')) delete state.upTo[name]
  Object.assign(state, { bounds: {}, stayed: [], madeUnder: now })
}

const PAGE = 1_000

/** Events dated in the future that are skipped. */
const MAX_UNDATED = 100_000

interface Walk extends Pick<Pruning, 'ages' | 'now' | 'signal'> {
  storage: Pick<Storage, 'ageing'>
  part: Extract<Part, 'events' | 'payloads'>
  upTo: Record<string, number>
  last: number
}

/** Pages of events past the age of a part, oldest first; one walk an age. An event dated in the future is as old as what came after it. */
export async function* walkOld({ storage, ages, part, now, upTo, last, signal }: Walk): AsyncGenerator<AgeingEvent[]> {
  for (const age of agesOf(ages, part)) {
    const name = `${part}:${age}`
    let undated: AgeingEvent[] = []
    for (let after = upTo[name] ?? 0; ; ) {
      signal.throwIfAborted()
      const rows = await storage.ageing(after, PAGE)
      const end = rows.findIndex(
        ({ id, receivedAt }) => id > last || (receivedAt >= now - age && !isInFuture(receivedAt, now)),
      )
      const seen = [...undated, ...(end < 0 ? rows : rows.slice(0, end))]
      const old = seen.slice(0, seen.findLastIndex(({ receivedAt }) => receivedAt < now - age) + 1)
      yield old.filter(({ kind }) => ageOf(ages, part, kind) === age)
      upTo[name] = old.at(-1)?.id ?? upTo[name] ?? 0
      undated = seen.slice(old.length)
      after = rows.at(-1)?.id ?? after
      if (end >= 0 || rows.length < PAGE || undated.length > MAX_UNDATED) break
    }
  }
}

/** Per slice. SQLite's end earlier, by time (storage/sqlite/deleting.ts). */
const ROWS = 250

const LONGEST_REST = 50

export function createPace({ rest, signal }: { rest(ms: number): Promise<void>; signal: AbortSignal }) {
  return {
    async slice<T>(work: (rows: number) => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      const from = performance.now()
      const result = await work(ROWS)
      // At most half of the storage's time.
      await rest(Math.min(performance.now() - from, LONGEST_REST))
      return result
    },
  }
}

type Pace = ReturnType<typeof createPace>

/** Most are executed by then, and a richer one has come (ms). */
const PLAIN = 3_600_000

/** Longest run (ms). */
const MAX = 2 * 60_000

/** Payloads up to this event were compressed. */
const State = z.object({ upTo: z.number() }).catch({ upTo: 0 })

/** Compresses payloads of older events, slice by slice. */
export function compressJob(storage: Pick<Storage, 'compressPayloads'>, clock: Pick<Clock, 'now'>): HubJob {
  return {
    name: 'compress-payloads',
    async run({ now, signal, state }) {
      const until = clock.now() + MAX
      const hasTime = () => clock.now() < until
      const pace = createPace({ rest, signal })
      let { upTo } = State.parse(state)
      const all = { payloads: 0, bytes: 0, plainBytes: 0 }
      while (hasTime()) {
        const some = await pace.slice(() => storage.compressPayloads(upTo, now - PLAIN))
        all.payloads += some.payloads
        all.bytes += some.bytes
        all.plainBytes += some.plainBytes
        if (some.after === null) break
        upTo = some.after
      }
      return { state: { upTo }, note: summaryOf(all) }
    },
  }
}

function summaryOf({ payloads, bytes, plainBytes }: { payloads: number; bytes: number; plainBytes: number }) {
  const [from, to] = [plainBytes, bytes].map((all) => (all / 1_000_000).toFixed(1))
  return payloads > 0 ? `${pluralize(payloads, 'payload')} compressed, ${from} MB into ${to} MB` : 'nothing to compress'
}

type Kept = Pick<Storage, 'personalPage' | 'find' | 'deliveries' | 'scrubSecrets'>

/** Later it is up to an operator (ms). */
const LONGEST = 30 * 24 * 3_600_000

const TIMEOUT_MS = 5_000

/** A dead delivery may be tried again. */
const OVER = new Set(['delivered', 'skipped', 'superseded'])

/** Drops keys of notices that are taken, or will not be: the data subject is then unknown in copies and archives, too. */
export function noticesJob({ storage, index }: { storage: Kept; index: Pick<SearchIndex, 'catchUp'> }): HubJob {
  return {
    name: 'notices',
    async run({ now }) {
      const { rows } = await storage.personalPage({ place: 'links', containing: [NOTICE_KEYS.id], after: 0 })
      const keys = rows.filter(({ values }) => values[1] === NOTICE_KEYS.kind)
      const areFound = keys.length > 0 && (await index.catchUp(TIMEOUT_MS))
      const over: PersonalRow[] = []
      for (const row of keys) if (await isOver(storage, row, { areFound, now })) over.push(row)
      if (over.length === 0) return { note: `${pluralize(keys.length, 'notice')} under way` }
      const changes = over.map(({ row, values }) => ({ place: 'links' as const, row, from: values, to: null }))
      const opened = over.map(({ values }) => readNamedKey(String(values[3])).key)
      const { found } = await storage.scrubSecrets(changes, opened, 'links')
      const left = found === 0 ? '' : `; ${pluralize(found, 'place')} still have one`
      return { note: `${pluralize(over.length, 'key')} of notices went, ${keys.length - over.length} under way${left}` }
    },
  }
}

async function isOver(
  storage: Kept,
  { values }: PersonalRow,
  { areFound, now }: { areFound: boolean; now: Instant },
): Promise<boolean> {
  const [destination, , , theirId] = values.map(String)
  const { pseudonym } = readNamedKey(theirId ?? '')
  const [found] = await storage.find([{ sort: 'id', value: codeOf(pseudonym) }], 1)
  // Not indexed yet, or deleted.
  if (found === undefined) return areFound
  if (found.event.receivedAt < now - LONGEST) return true
  const deliveries = await storage.deliveries({ event: found.event.id, limit: 500 })
  return deliveries.every((one) => one.destination !== destination || OVER.has(one.state))
}
