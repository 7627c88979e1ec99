import { expect } from 'vitest'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { Instant } from '../../../src/domain/values/instant.ts'
import { LEASE } from '../acting.ts'
import type { StoreUnderTest } from '../under-test.ts'
import { accept, arrivalOf, endSubmission, enqueue } from './accepting.ts'
import { ask, drawRest } from './asking.ts'
import { claimAll, giveBack, outcomeOf, pass, reopen, settleSome } from './claiming.ts'
import { keep } from './keeping.ts'
import { look } from './look.ts'
import type { Act, Twin } from './twin.ts'
import { dismiss, verb } from './verbs.ts'
import { DESTINATIONS, ENTITIES, LANES, PAUSES, pendingOf, ROOM, type World, worldOf } from './world.ts'

export interface Play {
  draw(world: World, first: Twin): Act
  look(twin: Twin, world: World): Promise<unknown>
  /** Acts that say something else where they were done twice; not given: none. */
  twice?: RegExp
}

/** Events and deliveries, and whatever is done about them. */
export const DELIVERING: Play = { draw: delivering(3), look }

/** The same, and all that is asked and done besides. */
export const WHOLE: Play = {
  draw: (world, first) => (world.may(0.2) ? drawRest(world) : drawDelivering(world, first, 3)),
  look: async (twin, world) => ({ ...(await look(twin)), asked: await ask(twin, world) }),
}

/** The same where answers are lost, and what was not answered is told again. Senders tell their own again, one by one. */
export const DELIVERING_TWICE: Play = {
  ...{ draw: delivering(1), look },
  twice: /^(accept|owe|retry|skip|releaseHeld|move|dismiss|pack|index|drop)/,
}

/** Tells two stores the same acts of chance; where they say something else, it rejects with what was done before. */
export async function playTwins(
  { draw, look, twice }: Play,
  stores: readonly StoreUnderTest[],
  seed: number,
  acts: number,
): Promise<void> {
  const world = worldOf(seed)
  const twins = stores.map((the): Twin => ({ the, events: [], submissions: [], claims: new Map() }))
  const [first] = twins
  if (!first) return
  const reported: string[] = []
  for (let n = 0; n < acts; n++) {
    const act = draw(world, first)
    reported.push(act.name)
    const said = []
    for (const twin of twins) said.push(await act.on(twin).catch(({ name }: Error) => `rejected: ${name}`))
    const story = () => `seed ${seed}:\n${reported.slice(-60).join('\n')}`
    if (!twice?.test(act.name)) for (const other of said.slice(1)) expect(other, story()).toEqual(said[0])
    // As workers do, each queue looks at what is new at once.
    for (const { the } of twins)
      for (const queueKey of LANES) await the.storage.claim(queueKey, { ...ROOM, calls: 0 }, LEASE)
    if (n % 5 > 0) continue
    const seen = []
    for (const twin of twins) seen.push(await look(twin, world))
    for (const other of seen.slice(1)) expect(other, story()).toEqual(seen[0])
  }
}

/** `most`: so many events come at once. */
function delivering(most: number): Play['draw'] {
  return (world, first) => drawDelivering(world, first, most)
}

function drawDelivering(world: World, first: Twin, most: number): Act {
  const { choose, may, below } = world
  const nth = below(100)
  if (nth < 30) return accept(Array.from({ length: 1 + below(most) }, () => arrivalOf(world)))
  if (nth < 52) return claimAll(choose(LANES), world)
  if (nth < 76) {
    const share = choose([0.4, 0.8, 1])
    const names = [...first.claims.keys()].filter(() => may(share))
    const outcomes = names.map((name): [string, (now: Instant) => Outcome] => [name, outcomeOf(world)])
    return settleSome(outcomes, may(0.3) ? 'repeat' : may(0.3) ? 'find' : 'hold')
  }
  if (nth < 79) return giveBack([...first.claims.keys()].filter(() => may(0.5)))
  if (nth < 86) return pass(choose(PAUSES))
  if (nth < 87 && world.ends) return reopen
  if (nth < 90)
    return enqueue(below(Math.max(1, first.events.length)), [pendingOf(world, choose(ENTITIES), choose(DESTINATIONS))])
  if (nth < 93) return verb(world, first)
  if (nth < 94) return endSubmission(below(4), below(3))
  if (nth < 98) return keep(world)
  return dismiss(choose([{ state: 'unrouted' }, { state: 'quarantined' }, { conflict: true }]))
}
