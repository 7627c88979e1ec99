import type { ClaimResult } from '../../../src/storage/claim.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { chance } from '../../chance.ts'

/** What is of no hub's own, or is told at once. */
const OF_ALL = new Set<string | symbol>(['now', 'onWork', 'onStores'])

/** The stores of several hubs as one: each question is put to one of them by chance, and a claim is ended by who has made it. */
export function asOne(stores: readonly Storage[]): Storage {
  const [first] = stores
  if (!first || stores.length === 1) return first as Storage
  const random = chance(stores.length)
  const pick = () => stores[Math.floor(random() * stores.length)] ?? first
  const makers = new Map<number, Storage>()

  const claim: Storage['claim'] = async (...given) => {
    const hub = pick()
    const claims = await hub.claim(...given)
    for (const { fence } of claims.calls.flat()) makers.set(fence, hub)
    return claims
  }
  const settle: Storage['settle'] = async (results) => {
    const said = new Map<ClaimResult, boolean>()
    for (const [hub, theirs] of Map.groupBy(results, ({ fence }) => makers.get(fence) ?? first)) {
      const written = await hub.settle(theirs)
      theirs.forEach((one, index) => {
        said.set(one, written[index] === true)
      })
    }
    return results.map((one) => said.get(one) === true)
  }
  const returnClaims: Storage['returnClaims'] = async (fences) => {
    for (const [hub, theirs] of Map.groupBy(fences, (fence) => makers.get(fence) ?? first))
      await hub.returnClaims(theirs)
  }
  const end = async () => {
    for (const storage of stores) await storage[Symbol.asyncDispose]()
  }
  const own: Record<string | symbol, unknown> = { claim, settle, returnClaims, [Symbol.asyncDispose]: end }
  return new Proxy(first, {
    get(target, name) {
      if (name in own) return own[name]
      // Whatever is no method of theirs, is none here: a promise asks for `then`.
      if (OF_ALL.has(name) || !(name in target)) return Reflect.get(target, name)
      return (...given: unknown[]) => (Reflect.get(pick(), name) as (...given: unknown[]) => unknown)(...given)
    },
  })
}
