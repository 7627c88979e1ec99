import type { AdapterInstance } from '../adapters/adapter.ts'
import { lookAt } from '../adapters/shared/examine.ts'
import type { Archive } from '../archive/archive.ts'
import type { HealthItem } from '../domain/health/health.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import type { Trouble } from '../domain/queue/lane.ts'
import { adviceOn } from '../domain/queue/outcome.ts'
import type { Instant } from '../domain/values/instant.ts'
import { counted } from '../domain/values/text.ts'
import { atMost, type Clock } from '../lib/clock.ts'
import type { Platform } from '../platform/platform.ts'
import type { Examined } from '../ports/attempt.ts'
import type { Audit, DeliveryRow } from '../store/screens.ts'
import type { HealthSources } from './health.ts'

export interface ExaminedSystem {
  destination: string
  /** Null: its adapter has no health check. */
  found: Examined[] | null
}

export interface Doctored {
  items: HealthItem[]
  systems: ExaminedSystem[]
}

export interface System extends Pick<AdapterInstance, 'examine'> {
  name: string
}

const DEADLINE = 10_000

/** Never rejects: an unreachable system is a finding. */
export async function examineSystems(systems: readonly System[], clock: Clock): Promise<ExaminedSystem[]> {
  return await Promise.all(systems.map((system) => examineSystem(system, clock)))
}

async function examineSystem({ name, examine }: System, clock: Clock): Promise<ExaminedSystem> {
  if (!examine) return { destination: name, found: null }
  const asking = new AbortController()
  const answered = await atMost(clock, DEADLINE, lookAt({ examine }, { signal: asking.signal }))
  if (answered === null) asking.abort(new Error('the deadline is over'))
  const found = answered ?? [notAnswered]
  return { destination: name, found: found.map((one) => ({ ...one, says: one.says.replaceAll(`(${name}: `, '(') })) }
}

const notAnswered: Examined = {
  what: 'connection',
  state: 'problem',
  says: `It did not answer within ${DEADLINE / 1_000} s.`,
  todo: adviceOn('no-answer').todo,
}

export function archiveToExamine(archive: Archive | null): System[] {
  return archive === null ? [] : [{ name: 'archive', examine: ({ signal }) => archive.examine(signal) }]
}

/** Reading its stores proves both keys. */
export function platformToExamine(platform: Pick<Platform, 'stores'> | null): System[] {
  if (platform === null) return []
  return [
    {
      name: PLATFORM,
      async examine({ signal }) {
        const { rows } = await platform.stores.list(signal)
        const says = `It is reached, knows both keys, and names ${counted(rows.length, 'store')}.`
        return [{ what: 'credentials', state: 'ok', says }]
      },
    },
  ]
}

export interface Probed extends ExaminedSystem {
  before: Trouble | null
  now: Trouble | null
  paused: string | null
  held: string | null
}

interface Probing extends Pick<HealthSources, 'store' | 'working' | 'clock'> {
  systems: readonly System[]
  probe(destination: string): Promise<void>
  holdsDeliveries(): string | null
}

/** Wait for a call or a job (ms): a proxy cuts longer answers. */
export const LONGEST_WAIT = 30_000

const LOOKED_AT = 500

/** Probes a destination whose circuit is open with one delivery; resolves when that call has ended. */
export async function tryNow(probing: Probing, destination: string, audit: Audit): Promise<void> {
  const { store, holdsDeliveries, clock, probe } = probing
  if (troubleOf(probing, destination) === null || holdsDeliveries() !== null) return
  const one = toBeDue(await store.deliveries({ destination, state: 'waiting', limit: LOOKED_AT }), clock.now())
  if (one !== null) await store.retry({ id: one }, audit, false)
  await probe(destination)
}

/** The same, with the health check of its adapter. */
export async function probeNow(probing: Probing, destination: string, audit: Audit): Promise<Probed> {
  const { store, systems, clock, holdsDeliveries } = probing
  const before = troubleOf(probing, destination)
  const system = systems.find(({ name }) => name === destination) ?? { name: destination }
  const tried = tryNow(probing, destination, audit)
  const [examined] = await Promise.all([examineSystem(system, clock), atMost(clock, LONGEST_WAIT, tried)])
  const paused = (await store.paused()).find(({ lane }) => lane.destination === destination)?.why ?? null
  return { ...examined, before, now: troubleOf(probing, destination), paused, held: holdsDeliveries() }
}

function troubleOf({ working }: Pick<Probing, 'working'>, name: string): Trouble | null {
  return working().find(({ destination }) => destination === name)?.trouble ?? null
}

/** The oldest failed delivery that is first of its entity; null: one is due already, or none has failed. */
function toBeDue(waiting: readonly DeliveryRow[], now: Instant): number | null {
  // Newest first: of several of one entity the last is the first in its line.
  const firsts = [...new Map(waiting.map((row) => [row.entity ?? row.id, row])).values()]
  if (firsts.some(({ dueAt }) => dueAt <= now)) return null
  const failed = firsts.filter(({ tries }) => tries > 0).map(({ id }) => id)
  return failed.length === 0 ? null : Math.min(...failed)
}
