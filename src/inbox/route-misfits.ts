import type { StoreIndex } from '../domain/places/store-index.ts'
import type { Misfit } from '../domain/queue/misfit.ts'
import type { Flow } from '../flows/flow.ts'
import { oneOf } from '../lib/suggest.ts'
import { canCarryOut, type Routable } from './route.ts'
import { meeting, readStoreList } from './store-list.ts'

/**
 * Why flows and destinations cannot be joined: config names a flow that does not exist, or two destinations could each carry
 * out a flow whose effect must happen once (design §6). `storeIndex`: the platform's stores, as far as they are known.
 */
export function routeMisfits(
  flows: readonly Flow[],
  destinations: readonly Routable[],
  storeIndex: StoreIndex,
): Misfit[] {
  return [...nameMisfits(flows, destinations), ...onceMisfits(flows, destinations, storeIndex)]
}

function nameMisfits(flows: readonly Flow[], destinations: readonly Routable[]): Misfit[] {
  const names = flows.map(({ name }) => name)
  return destinations.flatMap(({ name, skip, daily }) => {
    const listed = [
      ...skip.map((flow, index) => ({ flow, path: ['skip', index] })),
      ...daily.flows.map((flow, index) => ({ flow, path: ['daily', 'flows', index] })),
    ]
    return listed
      .filter(({ flow }) => !names.includes(flow))
      .map(({ flow, path }) => ({ path: ['destinations', name, ...path], expected: `a flow: ${oneOf(flow, names)}` }))
  })
}

/** Two destinations that both carry out flows whose effect must happen once. */
interface Pair {
  one: Routable
  other: Routable
  flows: string[]
}

function onceMisfits(flows: readonly Flow[], destinations: readonly Routable[], storeIndex: StoreIndex): Misfit[] {
  const pairs = new Map<string, Pair>()
  for (const flow of flows.filter(({ once, each }) => once && !each)) {
    const to = destinations.filter((destination) => canCarryOut(destination, flow))
    for (const [index, one] of to.entries())
      for (const other of to.slice(index + 1)) {
        const key = `${one.name} ${other.name}`
        const pair = pairs.get(key) ?? { one, other, flows: [] }
        pair.flows.push(flow.name)
        pairs.set(key, pair)
      }
  }
  return [...pairs.values()].flatMap((pair) => pairMisfit(pair, storeIndex) ?? [])
}

/** Several destinations may share such flows only if no event can be for two of them. */
function pairMisfit({ one, other, flows }: Pair, storeIndex: StoreIndex): Misfit | null {
  const path = ['destinations', other.name]
  const skip = `skip: [${flows.join(', ')}] at one of them`
  const second = `a second destination, besides ${one.name}, for what must happen once (${flows.join(', ')})`
  if (!one.stores || !other.stores)
    return {
      path,
      found: second,
      expected: `${skip}, or stores: lists that do not meet at both; one that only watches takes events with publish`,
    }
  const met = meeting(readStoreList(one.stores), readStoreList(other.stores), storeIndex)
  if (met === null) return null
  return {
    path: [...path, 'stores'],
    found: `stores that meet those of ${one.name} (${met.why}), for what must happen once (${flows.join(', ')})`,
    expected: `countries only, or store numbers only, at both, and none in both; or ${skip}`,
    ...(!met.certain && { unsure: true }),
  }
}
