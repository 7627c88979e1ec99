import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config.ts'
import { isMap, pathText } from '../config/reading/path.ts'

/** Settings that a hub holds on to as long as it runs: where it listens, its store, and what both were made with. */
const KEPT = [
  'server.host',
  'server.port',
  'server.limits',
  'server.timeouts',
  'store',
  'platform.webhooks.sameBytesWindow',
]

/** The keys whose values differ, as people write them, without the values. */
export function changedKeys(before: Config, after: Config): string[] {
  return differences(asWritten(before), asWritten(after), [])
}

/** Keys among those changed that take a restart. */
export function restartKeys(changed: readonly string[]): string[] {
  return changed.filter((key) => KEPT.some((kept) => key === kept || key.startsWith(`${kept}.`)))
}

function differences(before: unknown, after: unknown, path: readonly string[]): string[] {
  // One that comes or goes is named itself, not all that is in it.
  if (!isMap(before) || !isMap(after) || !isPlain(before) || !isPlain(after))
    return isDeepStrictEqual(before, after) ? [] : [pathText(path)]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => differences(before[key], after[key], [...path, key]))
}

/** A decimal is a value, not a map. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

/** Destinations by their names, each with its options; a stock with a name is no channel. */
function asWritten({ destinations, ...rest }: Config): Record<string, unknown> {
  const byName = destinations.map(({ name, options: _, written, channels, ...common }) => {
    const named = Object.values(common.stocks)
    const own = Object.entries(channels).filter(([location]) => !named.includes(location))
    return [name, { ...common, ...written, channels: Object.fromEntries(own) }]
  })
  return { ...rest, destinations: Object.fromEntries(byName) }
}
