import { z } from 'zod'
import type { Instant } from '../../../domain/values/instant.ts'
import { Runs } from '../runs.ts'

/** The job's memory between its runs; what was looked through is in the store. */
export type FactsState = z.output<typeof State>

const State = z.object({
  /** By kind: from here on events could tell of it, since a subscription stood. */
  begins: z.record(z.string(), z.number()),
  /** By kind: why nothing can be told of it, in words. */
  cannotTell: z.record(z.string(), z.string()).default({}),
  /** By the id of a delivery: since when the list has said more of it than the hub has. */
  ahead: z.record(z.string(), z.number()).default({}),
  /** By stock: since when its list of deliveries is empty, which had some before; null: it has some. */
  emptied: z.record(z.string(), z.number().nullable()).default({}),
  /** By kind and day: how many rows the list had, of days that are read again. */
  rows: z.record(z.string(), z.record(z.string(), z.number())).default({}),
  /** Kinds of which an event has been known again by the columns that config names. */
  known: z.array(z.string()).default([]),
  /** By kind and day: what the list showed that was too young to be judged; it is to be there again. */
  young: z.record(z.string(), z.record(z.string(), z.array(z.string()))).default({}),
  /** By kind and store: since which day its list has had nothing of that store, although events told of it. */
  without: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** By kind: the stores of which events came at the last run; null among them: all. */
  places: z.record(z.string(), z.array(z.string().nullable())).default({}),
  runs: Runs,
})

/** Reads what was left; what cannot be read is begun anew. */
export function readFactsState(state: unknown): FactsState {
  return State.safeParse(state).data ?? State.parse({ begins: {} })
}

/** Changes the state: events of a kind could tell from then on; an earlier beginning counts. */
export function beginAt(state: FactsState, kind: string, at: Instant): Instant {
  const begin = Math.min(state.begins[kind] ?? at, at)
  state.begins[kind] = begin
  return begin
}
