import { z } from 'zod'
import { NEW_TILL, type TillMemory } from '../../../domain/ledger/till/memory.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Decimal } from '../../../domain/values/money.ts'

const Link = z.object({
  settlementId: z.string(),
  /** What older versions have left does not say it, but the till's key does. */
  place: z.string().optional(),
  number: z.number().nullable(),
  counter: z.custom<Decimal>((value) => typeof value === 'string').nullable(),
  closedAt: z.number(),
})

const Till = z.object({
  /** The platform's id of its store; null: nobody knows it. */
  storeId: z.string().nullable().default(null),
  balanced: z.number(),
  begins: z.number().nullable(),
  done: z.array(z.string()),
  last: Link.nullable(),
  /** The first sale since its last report; null: none is known. */
  openSince: z.number().nullable(),
})

/** A till as the job remembers it. */
export type KeptTill = TillMemory & Pick<z.output<typeof Till>, 'storeId' | 'openSince'>

/** The job's memory between its runs. */
export interface TillState {
  /** By store and till (tillKey). */
  tills: Readonly<Record<string, KeptTill>>
  /** What stores are called in the reports that are still looked at, by the platform's ids: a store may get another number. */
  names: Readonly<Record<string, readonly string[]>>
  /** When receipts were read last; null: never. */
  lookedAt: Instant | null
}

const State = z.object({
  tills: z.record(z.string(), Till),
  names: z.record(z.string(), z.array(z.string())).default({}),
  lookedAt: z.number().nullable(),
})

export const UNKNOWN_TILL: KeptTill = { ...NEW_TILL, storeId: null, openSince: null }

/** Reads what was left; what cannot be read is begun anew, and every till is learned again. */
export function readTillState(state: unknown): TillState {
  const left = State.safeParse(state).data
  if (left === undefined) return { tills: {}, names: {}, lookedAt: null }
  const tills = Object.entries(left.tills).map(([key, till]): [string, KeptTill] => {
    const last = till.last && { ...till.last, place: till.last.place ?? ofKey(key).home }
    return [key, { ...till, last }]
  })
  return { ...left, tills: Object.fromEntries(tills) }
}

/** Names a till. `home`: the platform's id of its store, or what the store is called where nobody knows it. */
export function tillKey({ home, posId }: { home: string; posId: string }): string {
  return JSON.stringify([home, posId])
}

function ofKey(key: string): { home: string; posId: string } {
  const [home, posId] = JSON.parse(key) as [home: string, posId: string]
  return { home, posId }
}

/** The tills that have made a report since then, by their homes. */
export function tillsSince(tills: TillState['tills'], since: Instant): Map<string, string[]> {
  const homes = new Map<string, string[]>()
  for (const [key, { last }] of Object.entries(tills)) {
    if (last === null || last.closedAt < since) continue
    const { home, posId } = ofKey(key)
    homes.set(home, [...(homes.get(home) ?? []), posId])
  }
  return homes
}

/** The tills whose store is known by now are remembered under its id. */
export function broughtHome(
  tills: TillState['tills'],
  idOf: (till: { place: string; posId: string }) => string | null,
): TillState['tills'] {
  const home = new Map<string, KeptTill>()
  for (const [key, till] of Object.entries(tills)) {
    const { home: place, posId } = ofKey(key)
    const storeId = till.storeId ?? idOf({ place, posId })
    const at = tillKey({ home: storeId ?? place, posId })
    const other = home.get(at)
    home.set(at, { ...(other === undefined ? till : asOne(till, other)), storeId })
  }
  return Object.fromEntries(home)
}

/** What was remembered of one till under two names. */
function asOne(one: KeptTill, other: KeptTill): KeptTill {
  const [before, after] = (one.last?.closedAt ?? 0) < (other.last?.closedAt ?? 0) ? [one, other] : [other, one]
  const done = [...new Set([...before.done, ...after.done])]
  return { ...after, balanced: before.balanced + after.balanced, begins: before.begins ?? after.begins, done }
}
