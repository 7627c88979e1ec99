import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DeliveryRow } from '../../src/storage/rows.ts'
import { sale } from '../fixtures/payloads.ts'
import { createFolder } from '../hub.ts'
import { type EffectSink, PROMISES, type Promised, startEffectSink } from './effects.ts'
import { type HubProcess, startHubProcess } from './hub-process.ts'

export interface KillPlan {
  kills: number
  /** How long the process lives before it is killed (milliseconds). */
  lives: { from: number; to: number }
  senders: number
  /** What a sender waits between two requests (milliseconds). */
  tick: number
  /** One in so many requests is a copy of an earlier one; one in so many answers of the sink is kept back. */
  copies: number
  lost: number
}

/** What came of it, counted at both ends. Every list must be empty for the promises to hold. */
export interface Verdict {
  seed: number
  accepted: number
  /** Posted, but nobody heard an answer: it may be there or not. */
  unanswered: number
  /** Requests at the sink beyond the first of their key. */
  copiesOnTheWire: number
  held: number
  broken: Record<Promised, string[]>
  /** Effects of what was never posted, or of what was refused. */
  outOfNothing: string[]
  dead: number
}

/** The program with flows that promise each of it. */
export const ENTRY = fileURLToPath(new URL('./hub-with-once-flows.ts', import.meta.url))
const ADAPTER = fileURLToPath(new URL('./effect-adapter.ts', import.meta.url))

/** Kills a hub under load again and again, lets it come to rest, and counts. `TILLBRIDGE_SEED` repeats a run. */
export async function killUnderLoad(plan: KillPlan): Promise<Verdict> {
  const seed = Number(process.env.TILLBRIDGE_SEED ?? Date.now() % 1_000_000)
  // One for each, so that the moments of the kills are the same in every run with this seed.
  const [killing, loading, losing] = [mulberry32(seed), mulberry32(seed + 1), mulberry32(seed + 2)]
  await using folder = await createFolder()
  await using sink = await startEffectSink(() => plan.lost > 0 && losing() < 1 / plan.lost)
  const start = () =>
    startHubProcess({
      folder: folder.path,
      entry: ENTRY,
      destinations: destinationsOf(sink),
      connections: plan.senders + 4,
    })

  const load = createLoad(plan, loading)
  for (let kill = 0; kill < plan.kills; kill += 1) {
    await using hub = await start()
    const sent = load.run(hub)
    await pause(plan.lives.from + killing() * (plan.lives.to - plan.lives.from))
    await hub.stop('SIGKILL')
    await sent
  }

  await using hub = await start()
  await hub.untilIdle(60_000)
  const held = await heldOf(hub)
  const dead = (await hub.queues()).reduce((sum, queue) => sum + queue.dead, 0)
  return { seed, ...judge(load, sink.effects, held), dead, held: held.size }
}

/** A destination for each promise, whose calls take a second at most. */
export function destinationsOf(sink: EffectSink) {
  const queue = { concurrency: 8, timeout: '1s', inDoubtFor: '2s' }
  const skipBut = (own: Promised) => PROMISES.filter((name) => name !== own)
  const effect = (name: Promised, more: object = {}) => ({
    adapter: ADAPTER,
    url: sink.urlOf(name),
    skip: skipBut(name),
    queue,
    ...more,
  })
  return {
    publish: { adapter: 'http', url: sink.urlOf('publish'), publish: 'all', skip: skipBut('publish'), queue },
    find: effect('find', { find: true }),
    repeat: effect('repeat'),
    hold: effect('hold'),
  }
}

/** Sales from several senders, until the hub is gone. */
function createLoad({ senders, tick, copies }: KillPlan, random: () => number) {
  const accepted = new Set<string>()
  const unanswered = new Set<string>()
  let posted = 0

  async function sendUntilGone(hub: HubProcess): Promise<void> {
    while (!hub.exited) {
      const copy = posted > 0 && random() < 1 / copies
      if (!copy) posted += 1
      const receiptNo = String(copy ? 1 + Math.floor(random() * posted) : posted)
      try {
        const status = await hub.post('SaleCreated', sale({ receiptNo }))
        if (status === 200 || status === 202) accepted.add(receiptNo)
        else throw new Error(`The hub answered ${status}.`)
      } catch {
        unanswered.add(receiptNo)
        return
      }
      if (tick > 0) await pause(tick)
    }
  }

  return {
    accepted,
    unanswered,
    run: (hub: HubProcess) => Promise.all(Array.from({ length: senders }, () => sendUntilGone(hub))),
  }
}

type Load = ReturnType<typeof createLoad>

/** Design §6, the last bullet: what is promised, and that nothing is in none of the three. */
export function judge(
  { accepted, unanswered }: Pick<Load, 'accepted' | 'unanswered'>,
  effects: EffectSink['effects'],
  held: Set<string>,
) {
  const broken: Verdict['broken'] = { publish: [], find: [], repeat: [], hold: [] }
  let copiesOnTheWire = 0
  for (const promised of PROMISES) {
    const all = effects[promised]
    for (const receiptNo of new Set([...accepted, ...all.keys()])) {
      const ofReceipt = all.get(receiptNo) ?? new Map<string, number>()
      const times = [...ofReceipt.values()].reduce((sum, count) => sum + count, 0)
      if (promised === 'publish') copiesOnTheWire += Math.max(0, times - 1)
      const holds = {
        publish: ofReceipt.size === 1,
        find: times === 1,
        repeat: times >= 1 && ofReceipt.size === 1,
        hold: times === 1 || (times === 0 && held.has(receiptNo)),
      }
      if (!holds[promised]) broken[promised].push(`${receiptNo}: ${ofReceipt.size} keys, ${times} effects`)
    }
  }
  const outOfNothing = PROMISES.flatMap((promised) =>
    [...effects[promised].keys()].filter((receiptNo) => !accepted.has(receiptNo) && !unanswered.has(receiptNo)),
  )
  return { accepted: accepted.size, unanswered: unanswered.size, copiesOnTheWire, broken, outOfNothing }
}

/** The receipt numbers of what is listed as held. */
export async function heldOf(hub: HubProcess): Promise<Set<string>> {
  const found = new Set<string>()
  let before = ''
  for (;;) {
    const path = `deliveries?state=held&limit=500${before}`
    const { deliveries } = await hub.admin<{ deliveries: DeliveryRow[] }>(path)
    for (const { flow, entity } of deliveries) if (flow === 'hold') found.add(entity?.split('/')[2] ?? '')
    const last = deliveries.at(-1)
    if (!last) return found
    before = `&before=${last.id}`
  }
}

/** Small and repeatable random numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
