import type { AdapterInstance } from '../adapters/adapter.ts'
import { lookAt } from '../adapters/shared/health-check.ts'
import type { Archive } from '../archive/archive.ts'
import type { HealthItem } from '../domain/health/health.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import { adviceOn } from '../domain/queue/outcome.ts'
import type { OpenCircuit } from '../domain/queue/queue-key.ts'
import type { Instant } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import { atMost, type Clock } from '../lib/clock.ts'
import type { Platform } from '../platform/platform.ts'
import type { HealthFinding } from '../ports/attempt.ts'
import type { Audit, DeliveryRow } from '../storage/rows.ts'
import type { HealthSources } from './health.ts'

export interface CheckedSystem {
  destination: string
  /** Null: its adapter has no health check. */
  found: HealthFinding[] | null
}

export interface Doctored {
  items: HealthItem[]
  systems: CheckedSystem[]
}

export interface System extends Pick<AdapterInstance, 'healthCheck'> {
  name: string
}

const DEADLINE = 10_000

/** Never rejects: an unreachable system is a finding. */
export async function checkSystems(systems: readonly System[], clock: Clock): Promise<CheckedSystem[]> {
  return await Promise.all(systems.map((system) => checkSystem(system, clock)))
}

async function checkSystem({ name, healthCheck }: System, clock: Clock): Promise<CheckedSystem> {
  if (!healthCheck) return { destination: name, found: null }
  const asking = new AbortController()
  const answered = await atMost(clock, DEADLINE, lookAt({ healthCheck }, { signal: asking.signal }))
  if (answered === null) asking.abort(new Error('the deadline is over'))
  const found = answered ?? [notAnswered]
  return { destination: name, found: found.map((one) => ({ ...one, says: one.says.replaceAll(`(${name}: `, '(') })) }
}

const notAnswered: HealthFinding = {
  what: 'connection',
  state: 'problem',
  says: `It did not answer within ${DEADLINE / 1_000} s.`,
  todo: adviceOn('no-answer').todo,
}

export function archiveToExamine(archive: Archive | null): System[] {
  return archive === null ? [] : [{ name: 'archive', healthCheck: ({ signal }) => archive.healthCheck(signal) }]
}

/** Reading its stores proves both keys. */
export function platformToExamine(platform: Pick<Platform, 'stores'> | null): System[] {
  if (platform === null) return []
  return [
    {
      name: PLATFORM,
      async healthCheck({ signal }) {
        const { rows } = await platform.stores.list(signal)
        const says = `It is reached, knows both keys, and names ${pluralize(rows.length, 'store')}.`
        return [{ what: 'credentials', state: 'ok', says }]
      },
    },
  ]
}

export interface Probed extends CheckedSystem {
  before: OpenCircuit | null
  now: OpenCircuit | null
  paused: string | null
  held: string | null
}

interface Probing extends Pick<HealthSources, 'storage' | 'working' | 'clock'> {
  systems: readonly System[]
  probe(destination: string): Promise<void>
  holdsDeliveries(): string | null
}

/** Wait for a call or a job (ms): a proxy cuts longer answers. */
export const LONGEST_WAIT = 30_000

const LOOKED_AT = 500

/** Probes a destination whose circuit is open with one delivery; resolves when that call has ended. */
export async function tryNow(probing: Probing, destination: string, audit: Audit): Promise<void> {
  const { storage, holdsDeliveries, clock, probe } = probing
  if (outageOf(probing, destination) === null || holdsDeliveries() !== null) return
  const one = toBeDue(await storage.deliveries({ destination, state: 'waiting', limit: LOOKED_AT }), clock.now())
  if (one !== null) await storage.retry({ id: one }, audit, false)
  await probe(destination)
}

/** The same, with the health check of its adapter. */
export async function probeNow(probing: Probing, destination: string, audit: Audit): Promise<Probed> {
  const { storage, systems, clock, holdsDeliveries } = probing
  const before = outageOf(probing, destination)
  const system = systems.find(({ name }) => name === destination) ?? { name: destination }
  const tried = tryNow(probing, destination, audit)
  const [checked] = await Promise.all([checkSystem(system, clock), atMost(clock, LONGEST_WAIT, tried)])
  const paused = (await storage.paused()).find(({ queueKey }) => queueKey.destination === destination)?.why ?? null
  return { ...checked, before, now: outageOf(probing, destination), paused, held: holdsDeliveries() }
}

function outageOf({ working }: Pick<Probing, 'working'>, name: string): OpenCircuit | null {
  return working().find(({ destination }) => destination === name)?.outage ?? null
}

/** The oldest failed delivery that is first of its entity; null: one is due already, or none has failed. */
function toBeDue(waiting: readonly DeliveryRow[], now: Instant): number | null {
  // Newest first: of several of one entity the last is the first in its line.
  const firsts = [...new Map(waiting.map((row) => [row.entity ?? row.id, row])).values()]
  if (firsts.some(({ dueAt }) => dueAt <= now)) return null
  const failed = firsts.filter(({ tries }) => tries > 0).map(({ id }) => id)
  return failed.length === 0 ? null : Math.min(...failed)
}
