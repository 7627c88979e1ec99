import { z } from 'zod'
import { type Ages, ageOf } from '../../domain/retention/ages.ts'

const Size = z.object({ at: z.number(), bytes: z.number(), reusable: z.number(), free: z.number().nullable() })

const EMPTY = {
  upTo: {},
  bounds: {},
  stayed: [],
  keyAt: '',
  keysBound: 0,
  restarted: 0,
  ranAt: 0,
  sizes: [],
  archive: '',
  madeUnder: '',
}

/** The memory of the job. What is lost of it is found again: rows that have had their time are found by their ages. */
export const RetentionState = z
  .object({
    /** By part and age (`events:34560000000`): the walk has come to this event. */
    upTo: z.record(z.string(), z.number()),
    /** By kind: payloads up to this event may go. */
    bounds: z.record(z.string(), z.number()),
    /** Events that had to stay when the time of their payloads came. */
    stayed: z.array(z.number()),
    /** The key behind which the pass over the keys goes on, and up to which event keys go in this pass. */
    keyAt: z.string(),
    keysBound: z.number(),
    /** When the walks began from the start. */
    restarted: z.number(),
    /** When a run last believed the clock; 0: before that was remembered. */
    ranAt: z.number().default(0),
    /** Where the archive is that has files; empty: none has, as far as anybody knows. */
    archive: z.string().default(''),
    /** What the walks of payloads, `bounds` and `stayed` were made under: ages of payloads, and the archive; empty: nobody knows. */
    madeUnder: z.string().default(''),
    /** How large the store was, a size a day. */
    sizes: z.array(Size),
  })
  .catch(EMPTY)

export type RetentionState = z.output<typeof RetentionState>

/** The state that a run leaves, or none. */
export function readRetentionState(state: unknown): RetentionState {
  return RetentionState.parse(state ?? EMPTY)
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
