import { StoreUnavailableError } from '../../domain/errors.ts'

interface Options<In, Out> {
  /** Carries out lists in one commit; one answer for each of what is in them, in order. */
  run(all: In): Promise<Out>
  /** So much shares a commit at most; a longer list goes alone. */
  most: number
  /** How much a list counts; its length, if nothing else is said. */
  weigh?(list: In): number
  /** So many commits may be under way: while one is synced to disk, the next is being written. */
  atOnce: number
}

interface Pending<In, Out> {
  list: In
  resolve(out: Out): void
  reject(error: unknown): void
}

/**
 * Gathers lists that come while others are being committed, and commits them together: one sync to disk for all. If that
 * fails by the fault of one, each is tried alone, so that only that one is refused.
 */
export function createGroups<In extends readonly unknown[], Out extends readonly unknown[]>(
  options: Options<In, Out>,
): (list: In) => Promise<Out> {
  const { run, most, weigh = (list) => list.length, atOnce } = options
  let gathered: Pending<In, Out>[] = []
  let underWay = 0

  function next(): Pending<In, Out>[] {
    let weight = 0
    let count = 0
    for (const { list } of gathered) {
      weight += weigh(list)
      if (count > 0 && weight > most) break
      count += 1
    }
    const group = gathered.slice(0, count)
    gathered = gathered.slice(count)
    return group
  }

  async function pump() {
    if (underWay >= atOnce) return
    underWay += 1
    while (gathered.length > 0) await runTogether(next())
    underWay -= 1
  }

  async function runTogether(group: Pending<In, Out>[]): Promise<void> {
    try {
      const out = await run(group.flatMap(({ list }) => list) as unknown as In)
      let from = 0
      for (const { list, resolve } of group) {
        resolve(out.slice(from, from + list.length) as unknown as Out)
        from += list.length
      }
    } catch (error) {
      if (group.length > 1 && !(error instanceof StoreUnavailableError))
        for (const one of group) await runTogether([one])
      else for (const { reject } of group) reject(error)
    }
  }

  return (list) =>
    new Promise((resolve, reject) => {
      gathered.push({ list, resolve, reject })
      void pump()
    })
}
