import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { summarize } from '../../bench/wire/latencies.ts'
import { saleTemplate } from '../../bench/wire/template.ts'
import { startWorker } from '../../bench/worker.ts'
import type { HonestJob, HonestResult } from './honest.ts'
import type { AttackedHub } from './hub.ts'
import { delayOfPages } from './new-pages.ts'
import { createStrangers, type Seen, type Strangers } from './strangers.ts'

/** What an attack is given. */
export interface Siege {
  hub: AttackedHub
  strangers: Strangers
  /** How much of it there is: 1 is all. */
  scale: number
  /** Aborted when it is over. */
  signal: AbortSignal
}

export interface Attack {
  /** A sentence after "when". */
  name: string
  /** Makes what is sent, before anything is measured. */
  prepare?(): void
  /** Goes on until the signal, or leaves strangers behind who do; what it found out itself. May reject with what it found wrong. */
  run(siege: Siege): Promise<unknown>
}

/** What became of the honest ones, and of the hub. */
export interface Outcome {
  sent: number
  lost: Record<string, number>
  /** Taken ones that are not in the store, byte for byte. */
  missing: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** How many times longer all took because other threads were on the processors. */
  slowdown: number
  /** How many times longer than elsewhere the same work took on this machine meanwhile. */
  pace: number
  /** How much longer than elsewhere its new memory took (milliseconds). */
  memoryDelayMs: number
  /** How late the honest sender itself was, at p99 (milliseconds): its own wait for a processor. */
  ownDelayMs: number
  /** The most that the system saw in samples each 50 ms, and by its own record since the hub started (MB). */
  rssMb: number
  peakMb: number
  alive: boolean
  seen: Seen
  notes: unknown
  /** What the attack itself found wrong. */
  complaint: string | null
}

const HONEST_A_SECOND = 50
const SAMPLE_MS = 50

/** Honest webhooks come alone before and after the attack (milliseconds). */
const BEFORE = 300
const AFTER = 500

let events = 0

/** Attacks a hub for so long (milliseconds), with honest webhooks beside it all the time. */
export async function besiege(hub: AttackedHub, attack: Attack, length: number, scale: number): Promise<Outcome> {
  await using honest = startWorker<HonestJob, HonestResult>(new URL('./honest.ts', import.meta.url))
  attack.prepare?.()
  using strangers = createStrangers(hub.port)
  using memory = watchMemory(hub)
  const turns = watchTurns(hub)
  const pagesBefore = hub.newPages()
  const seconds = (BEFORE + length + AFTER) / 1_000
  const path = hub.webhookPath('SaleCreated')
  const sending = honest.ask({ port: hub.port, path, perSecond: HONEST_A_SECOND, seconds, from: events })
  events += HONEST_A_SECOND * Math.ceil(seconds)
  await pause(BEFORE)
  const over = new AbortController()
  const running = attack.run({ hub, strangers, scale, signal: over.signal }).then(
    (notes) => ({ notes, complaint: null }),
    (error: unknown) => ({ notes: null, complaint: String(error) }),
  )
  await pause(length)
  over.abort()
  strangers[Symbol.dispose]()
  const { sent, lost, taken, latencies, ownDelayMs, pace } = await sending
  return {
    sent,
    lost,
    missing: missingOf(hub.file, taken),
    ...summarize(latencies),
    slowdown: turns.slowdown(),
    pace,
    memoryDelayMs: delayOfPages(hub.newPages() - pagesBefore),
    ownDelayMs,
    rssMb: memory.most(),
    peakMb: hub.peakMb(),
    alive: hub.isAlive(),
    seen: strangers.seen,
    ...(await running),
  }
}

/** For `test.each`, which would cut a name that it takes from an object. */
export function byName(attacks: readonly Attack[]): [string, Attack][] {
  return attacks.map((attack) => [attack.name, attack])
}

/** All at once. */
export function together(name: string, attacks: readonly Attack[]): Attack {
  return {
    name,
    prepare() {
      for (const attack of attacks) attack.prepare?.()
    },
    async run(siege) {
      const notes = await Promise.all(attacks.map((attack) => attack.run(siege)))
      return Object.assign({}, ...notes)
    },
  }
}

/** The kernel counts for how long a thread ran, and for how long it could have: here the one that does all but write. */
function watchTurns(hub: AttackedHub) {
  const begun = hub.turns()
  return {
    slowdown() {
      const { ran, waited } = hub.turns()
      return ran > begun.ran ? 1 + (waited - begun.waited) / (ran - begun.ran) : 1
    },
  }
}

function watchMemory(hub: AttackedHub) {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, hub.rssMb() || 0)
  }, SAMPLE_MS)
  return { most: () => most, [Symbol.dispose]: () => clearInterval(timer) }
}

const KEPT = `select transport_key as key, body from events join payloads on event_id = id where transport_key is not null`

/** How many of these sales are not in the file as they were sent. */
function missingOf(file: string, taken: readonly number[]): number {
  const db = new Database(file, { readonly: true })
  const bodies = new Map<number, Buffer>()
  for (const { key, body } of db.prepare<[], { key: string; body: Buffer }>(KEPT).iterate())
    bodies.set(Number(key.slice(-9)), body)
  db.close()
  const sale = saleTemplate()
  return taken.filter((event) => {
    sale.set(event)
    return !bodies.get(event)?.equals(sale.buffer)
  }).length
}
