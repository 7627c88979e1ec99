import type { Storage } from '../../../src/storage/storage.ts'
import { chance } from '../../chance.ts'

/** What the hub that delivers does, or what is told at once. */
const OF_THE_FIRST = new Set<string | symbol>(['now', 'onWork', 'onStores', 'claim', 'settle', 'returnClaims'])

/** The storages of several hubs as one: the first delivers, and whatever else is asked is done by one of them by chance. */
export function asOne(stores: readonly Storage[]): Storage {
  const [first] = stores
  if (!first || stores.length === 1) return first as Storage
  const random = chance(stores.length)
  const pick = () => stores[Math.floor(random() * stores.length)] ?? first
  const end = async () => {
    for (const storage of stores) await storage[Symbol.asyncDispose]()
  }
  return new Proxy(first, {
    get(target, name) {
      if (name === Symbol.asyncDispose) return end
      // Whatever is no method of theirs, is none here: a promise asks for `then`.
      if (OF_THE_FIRST.has(name) || !(name in target)) return Reflect.get(target, name)
      return (...given: unknown[]) => (Reflect.get(pick(), name) as (...given: unknown[]) => unknown)(...given)
    },
  })
}
