import { expect } from 'vitest'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { Instant } from '../../../src/domain/values/instant.ts'
import { DAY, HOUR, LEASE, MINUTE, SECOND } from '../acting.ts'
import type { StoreUnderTest } from '../under-test.ts'
import {
  type Act,
  accept,
  claimAll,
  command,
  dismiss,
  endSubmission,
  enqueue,
  giveBack,
  keep,
  pass,
  ROOM,
  reopen,
  type Side,
  settleSome,
} from './acts.ts'
import { look } from './look.ts'
import { arrivalOf, DESTINATIONS, ENTITIES, outcomeOf, pendingOf, QUEUES, type World, worldOf } from './world.ts'

const PAUSES = [0, 1, 900, SECOND, 20 * SECOND, LEASE + 1, MINUTE, HOUR, 7 * HOUR, DAY + 1, 3 * DAY]

/** Does the same random acts to two storages; where they differ, it rejects with what was done before. */
export async function play(storages: readonly [StoreUnderTest, StoreUnderTest], seed: number, acts: number) {
  const world = worldOf(seed)
  const sideOf = (the: StoreUnderTest): Side => ({ the, events: [], submissions: [], claims: new Map() })
  const [one, other] = [sideOf(storages[0]), sideOf(storages[1])]
  const done: string[] = []
  const story = () => `seed ${seed}:\n${done.slice(-60).join('\n')}`
  const tell = (act: Act, side: Side) => act.on(side).catch(({ name }: Error) => `rejected: ${name}`)
  for (let n = 0; n < acts; n++) {
    const act = draw(world, one)
    done.push(act.name)
    const said = await tell(act, one)
    expect(await tell(act, other), story()).toEqual(said)
    // As workers do, each queue looks at what is new at once.
    for (const { the } of [one, other])
      for (const queueKey of QUEUES) await the.storage.claim(queueKey, { ...ROOM, calls: 0 }, LEASE)
    if (n % 5 > 0) continue
    const seen = await look(one)
    expect(await look(other), story()).toEqual(seen)
  }
}

function draw(world: World, side: Side): Act {
  const { choose, may, below } = world
  const names = [...side.claims.keys()]
  const nth = below(100)
  if (nth < 30) return accept(arrivalOf(world))
  if (nth < 52) return claimAll(choose(QUEUES))
  if (nth < 76) {
    const share = choose([0.4, 0.8, 1])
    const some = names.filter(() => may(share))
    const outcomes = some.map((name): [string, (now: Instant) => Outcome] => [name, outcomeOf(world)])
    return settleSome(outcomes, may(0.3) ? 'repeat' : may(0.3) ? 'find' : 'hold')
  }
  if (nth < 79) return giveBack(names.filter(() => may(0.5)))
  if (nth < 86) return pass(choose(PAUSES))
  if (nth < 87) return reopen
  if (nth < 90)
    return enqueue(below(Math.max(1, side.events.length)), [pendingOf(world, choose(ENTITIES), choose(DESTINATIONS))])
  if (nth < 93) return command(world, side)
  if (nth < 94) return endSubmission(below(4), below(3))
  if (nth < 98) return keep(world)
  return dismiss(choose([{ state: 'unrouted' }, { state: 'quarantined' }, { conflict: true }]))
}
