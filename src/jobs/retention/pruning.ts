import { z } from 'zod'
import type { Archive } from '../../archive/archive.ts'
import { type Ages, ageOf, agesOf, type Part } from '../../domain/retention/ages.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import type { AgeingEvent } from '../../store/retention/pruning.ts'
import type { Store } from '../../store/store.ts'

/** The rows that went. */
export interface Pruned {
  events: number
  deliveries: number
  attempts: number
  payloads: number
  keys: number
  records: number
}

export interface Pruning {
  store: Store
  ages: Ages
  now: Instant
  state: RetentionState
  pace: Pace
  signal: AbortSignal
  /** Told now and then, with what is to be remembered. */
  saved(): Promise<void>
  /** Where events are kept before their payloads go; null: nowhere. */
  archive: Archive | null
}

const Size = z.object({ at: z.number(), bytes: z.number(), reusable: z.number(), free: z.number().nullable() })

/** The memory of the job. What is lost of it is found again: rows that have had their time are found by their ages. */
const RetentionState = z.object({
  /** By part and age (`events:34560000000`): the walk has come to this event. */
  upTo: z.record(z.string(), z.number()).default(() => ({})),
  /** By kind: payloads up to this event may go. */
  bounds: z.record(z.string(), z.number()).default(() => ({})),
  /** Events that had to stay when the time of their payloads came. */
  stayed: z.array(z.number()).default(() => []),
  /** The key behind which the pass over the keys goes on, and up to which event keys go in this pass. */
  keyAt: z.string().default(''),
  keysBound: z.number().default(0),
  /** When the walks began from the start. */
  restarted: z.number().default(0),
  /** When a run last believed the clock; 0: none has. */
  ranAt: z.number().default(0),
  /** Where the archive is that has files; empty: none has, as far as the job knows. */
  archive: z.string().default(''),
  /** The ages of payloads and the archive that `bounds` and `stayed` were made under. */
  madeUnder: z.string().default(''),
  /** How large the storage was, a size a day. */
  sizes: z.array(Size).default(() => []),
})

export type RetentionState = z.output<typeof RetentionState>

/** The state that a run left, or the first one. */
export function readRetentionState(state: unknown): RetentionState {
  return RetentionState.safeParse(state ?? {}).data ?? RetentionState.parse({})
}

/**
 * Forgets what is remembered of payloads where it was made under other ages, or with another archive (`where`; null: none): what might go
 * by those might have to stay by these, or was never kept elsewhere. Walks from the start find it again.
 */
export function forgetIfChanged(state: RetentionState, ages: Ages, where: string | null): void {
  const usual = Math.min(ages.events, ages.payloads)
  const kinds = Object.keys(ages.kinds).map((kind) => [kind, ageOf(ages, 'payloads', kind)] as const)
  const others = kinds.filter(([, age]) => age !== usual).sort(([a], [b]) => (a < b ? -1 : 1))
  const now = JSON.stringify({ where, usual, kinds: others })
  if (state.madeUnder === now) return
  for (const name of Object.keys(state.upTo)) if (name.startsWith('payloads:')) delete state.upTo[name]
  Object.assign(state, { bounds: {}, stayed: [], madeUnder: now })
}

/** Events that are read at once. */
const PAGE = 1_000

/** Events of a time that is still to come that are gone over to find what came after them. Behind more of them the walk waits. */
const MOST_UNDATED = 100_000

interface Walk {
  store: Pick<Store, 'ageing'>
  ages: Ages
  part: Extract<Part, 'events' | 'payloads'>
  now: Instant
  /** By part and age: the event behind which it goes on; changed as it goes. */
  upTo: Record<string, number>
  /** It does not go behind this event. */
  last: number
  signal: AbortSignal
}

/**
 * An event whose part has had its time, pages of them, oldest first; each differing age has a walk of its own. What a clock that was ahead
 * has dated is as old as what came after it: else it would keep all behind it until that time has come.
 */
export async function* walkOld({ store, ages, part, now, upTo, last, signal }: Walk): AsyncGenerator<AgeingEvent[]> {
  for (const age of agesOf(ages, part)) {
    const name = `${part}:${age}`
    let undated: AgeingEvent[] = []
    for (let after = upTo[name] ?? 0; ; ) {
      signal.throwIfAborted()
      const rows = await store.ageing(after, PAGE)
      const end = rows.findIndex(
        ({ id, receivedAt }) => id > last || (receivedAt >= now - age && !isStillToCome(receivedAt, now)),
      )
      const seen = [...undated, ...(end < 0 ? rows : rows.slice(0, end))]
      const old = seen.slice(0, seen.findLastIndex(({ receivedAt }) => receivedAt < now - age) + 1)
      yield old.filter(({ kind }) => ageOf(ages, part, kind) === age)
      upTo[name] = old.at(-1)?.id ?? upTo[name] ?? 0
      undated = seen.slice(old.length)
      after = rows.at(-1)?.id ?? after
      if (end >= 0 || rows.length < PAGE || undated.length > MOST_UNDATED) break
    }
  }
}

/** Rows that a slice is asked for. SQLite's ends earlier, by the time inside of it (store/sqlite/retention/slice.ts). */
const ROWS = 250

/** The longest rest between two slices (milliseconds). */
const LONGEST_REST = 50

interface Options {
  /** A clock for stretches of time (milliseconds). */
  now(): number
  rest(ms: number): Promise<void>
  signal: AbortSignal
}

/** Runs slices with a rest between two of them, so that whoever waits goes first. */
export function createPace({ now, rest, signal }: Options) {
  return {
    /** Runs one slice, unless the run is to end. */
    async slice<T>(work: (rows: number) => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      const from = now()
      const result = await work(ROWS)
      // Half of the store's time at most: a busy machine is pruned more slowly.
      await rest(Math.min(now() - from, LONGEST_REST))
      return result
    },
  }
}

type Pace = ReturnType<typeof createPace>
