import { StoreUnavailableError } from '../../domain/errors.ts'

interface Options<In, Out> {
  /** Carries out a group in one commit; its answers, in order. */
  run(group: readonly In[]): Promise<Out[]>
  /** How much of `most` one takes. */
  weigh(one: In): number
  /** Of a group; one that is heavier goes alone. */
  most: number
  /** So many groups may be under way. */
  atOnce: number
}

interface Pending<In, Out> {
  one: In
  resolve(out: Out): void
  reject(error: unknown): void
}

/**
 * Gathers what comes while groups are being committed, and commits it together: one sync to disk for all. If a group fails
 * by the fault of one, each is tried alone, so that only that one is refused.
 */
export function createGroups<In, Out>({ run, weigh, most, atOnce }: Options<In, Out>): (one: In) => Promise<Out> {
  let gathered: Pending<In, Out>[] = []
  let underWay = 0

  function next(): Pending<In, Out>[] {
    let weight = 0
    let count = 0
    for (const { one } of gathered) {
      weight += weigh(one)
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
      const answers = await run(group.map(({ one }) => one))
      group.forEach(({ resolve }, index) => {
        resolve(answers[index] as Out)
      })
    } catch (error) {
      if (group.length > 1 && !(error instanceof StoreUnavailableError))
        for (const one of group) await runTogether([one])
      else for (const { reject } of group) reject(error)
    }
  }

  return (one) =>
    new Promise((resolve, reject) => {
      gathered.push({ one, resolve, reject })
      void pump()
    })
}
