import { z } from 'zod'
import { NEW_TILL, type TillMemory } from '../../../domain/ledger/till/till.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Decimal } from '../../../domain/values/money.ts'

const Link = z.object({
  settlementId: z.string(),
  place: z.string(),
  number: z.number().nullable(),
  counter: z.custom<Decimal>((value) => typeof value === 'string').nullable(),
  closedAt: z.number(),
})

const Till = z.object({
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

/** Reads what was left; what cannot be read is begun anew. */
export function readTillState(state: unknown): TillState {
  return State.safeParse(state).data ?? { tills: {}, lookedAt: null }
}

/** Names a till. `home`: the platform's id of its store, or what the store is called where nobody knows it. */
export function tillKey({ home, posId }: { home: string; posId: string }): string {
  return JSON.stringify([home, posId])
}

/** The tills that have made a report since then, by their homes. */
export function tillsSince(tills: TillState['tills'], since: Instant): Map<string, string[]> {
  const homes = new Map<string, string[]>()
  for (const [key, { last }] of Object.entries(tills)) {
    if (last === null || last.closedAt < since) continue
    const [home, posId] = JSON.parse(key) as [home: string, posId: string]
    homes.set(home, [...(homes.get(home) ?? []), posId])
  }
  return homes
}
