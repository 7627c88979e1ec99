import { z } from 'zod'
import { NEW_TILL, type TillMemory } from '../../../domain/ledger/till/memory.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Decimal } from '../../../domain/values/money.ts'

const Link = z.object({
  settlementId: z.string(),
  number: z.number().nullable(),
  counter: z.custom<Decimal>((value) => typeof value === 'string').nullable(),
  closedAt: z.number(),
})

const Till = z.object({
  balanced: z.number(),
  begins: z.number().nullable(),
  done: z.array(z.string()),
  last: Link.nullable(),
  /** The first sale since its last report; null: none is known. */
  openSince: z.number().nullable(),
})

/** A till as the job remembers it. */
export type KeptTill = TillMemory & Pick<z.output<typeof Till>, 'openSince'>

/** The job's memory between its runs. */
export interface TillState {
  /** By store and till (tillKey). */
  tills: Readonly<Record<string, KeptTill>>
  /** When receipts were read last; null: never. */
  lookedAt: Instant | null
}

const State = z.object({ tills: z.record(z.string(), Till), lookedAt: z.number().nullable() })

export const UNKNOWN_TILL: KeptTill = { ...NEW_TILL, openSince: null }

/** Reads what was left; what cannot be read is begun anew, and every till is learned again. */
export function readTillState(state: unknown): TillState {
  return State.safeParse(state).data ?? { tills: {}, lookedAt: null }
}

export function tillKey({ place, posId }: { place: string; posId: string }): string {
  return JSON.stringify([place, posId])
}

/** The tills that have made a report since then, by the places of their stores. */
export function tillsSince({ tills }: TillState, since: Instant): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const [key, { last }] of Object.entries(tills)) {
    if (last === null || last.closedAt < since) continue
    const [place, posId] = JSON.parse(key) as [place: string, posId: string]
    places.set(place, [...(places.get(place) ?? []), posId])
  }
  return places
}
