import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../../config/config.ts'
import type { LoadedConfig } from '../../config/reading/load.ts'
import { type Difference, differencesOf } from '../../domain/shadow/difference.ts'
import type { ShadowCall } from '../../domain/shadow/shadow-call.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'
import type { EventFilter } from '../../store/screens.ts'
import { openSide } from './side.ts'

/** The result of a replay under two configs. */
export interface Replayed {
  /** Events that were planned under both. */
  events: number
  /** Events that could not be: quarantined, or their payload is not kept any more. */
  left: number
  /** Calls that each config would make. */
  calls: { before: number; after: number }
  counts: Record<Difference['change'], number>
  /** By destination, flow and change; all of them, also those that are not listed. */
  groups: { destination: string; flow: string; change: Difference['change']; count: number }[]
  /** The first ones. */
  differences: Difference[]
  /** Destinations of both configs that the same calls would reach otherwise: their adapter or its options differ. */
  otherwise: string[]
}

interface Options {
  filter: Pick<EventFilter, 'kind' | 'entity' | 'since' | 'until'>
  /** How many differences are listed. */
  most: number
  signal: AbortSignal
  /** How many events have been looked at. */
  progress(done: number): void
}

const PAGE = 200

/** Plans recorded events and makes their calls ready under two configs, oldest first, and carries nothing out. */
export async function replayShadow(
  reading: StoreReading,
  { before, after }: { before: LoadedConfig; after: LoadedConfig },
  { filter, most, signal, progress }: Options,
): Promise<Replayed> {
  await using was = await openSide(before, reading)
  await using is = await openSide(after, reading)
  const counts = { added: 0, removed: 0, changed: 0, 'not-made': 0 }
  const groups = new Map<string, Replayed['groups'][number]>()
  const result: Replayed = {
    events: 0,
    left: 0,
    calls: { before: 0, after: 0 },
    counts,
    groups: [],
    differences: [],
    otherwise: differently(before.config, after.config),
  }
  let last = 0
  for (let page = await pageAfter(last); page.length > 0; page = await pageAfter(last)) {
    for (const { id } of page) {
      signal.throwIfAborted()
      await one(id)
      last = id
    }
    progress(result.events + result.left)
  }
  result.groups = [...groups.values()].sort((a, b) => b.count - a.count)
  return result

  function pageAfter(id: number) {
    return reading.events({ ...filter, after: id, limit: PAGE })
  }

  async function one(id: number): Promise<void> {
    const event = await reading.event(id)
    const calls = event && { before: await was.callsOf(event), after: await is.callsOf(event) }
    if (!calls?.before || !calls.after) {
      result.left += 1
      return
    }
    result.events += 1
    result.calls.before += madeOf(calls.before)
    result.calls.after += madeOf(calls.after)
    for (const difference of differencesOf(calls.before, calls.after)) note(difference)
  }

  function note(difference: Difference): void {
    const { destination, flow, change } = difference
    counts[change] += 1
    const name = `${destination} ${flow} ${change}`
    const group = groups.get(name) ?? { destination, flow, change, count: 0 }
    groups.set(name, { ...group, count: group.count + 1 })
    if (result.differences.length < most) result.differences.push(difference)
  }
}

function madeOf(calls: readonly ShadowCall[]): number {
  return calls.filter(({ method }) => method !== null).length
}

/** Values of options are not looked at beyond whether they are equal: they may be secret. */
function differently(before: Config, after: Config): string[] {
  const earlier = new Map(before.destinations.map((one) => [one.name, one]))
  return after.destinations.flatMap(({ name, adapter, written }) => {
    const was = earlier.get(name)
    return was && (was.adapter !== adapter || !isDeepStrictEqual(was.written, written)) ? [name] : []
  })
}
