import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { learn } from '../../domain/drift/learn.ts'
import { type LearnedShape, newShape, type PayloadDrift } from '../../domain/drift/learned.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Logger } from '../../lib/logger.ts'
import { observe } from '../../payloads/drift/observe.ts'
import type { EventRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { findingPages } from '../../store/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { chooseEvents } from './choose.ts'
import { readNewEvents } from './new-events.ts'

interface Options {
  store: Pick<Store, 'events' | 'event' | 'findings' | 'saveFindings'>
  logger: Logger
  /** When it runs; a cron expression in UTC. */
  schedule?: string
}

const State = z.object({ upTo: z.number() }).catch({ upTo: 0 })

/** The most kinds that are learned, and how they are named: the platform has 27, and whoever has the token may make up others. */
const MOST_KINDS = 60
const KIND = /^[\w.-]{1,100}$/

/**
 * Learns how the payloads of each kind look, from samples of the webhooks that came, and tells what was never so before. It reads
 * them by their ids, beside accept: nothing is done there. What is learned is kept with the findings, so that a restart or another
 * hub goes on with it; a run has the job to itself, and shapes and drifts are kept in one commit.
 */
export function payloadsJob({ store, logger, schedule = JOBS.payloads.schedule }: Options): HubJob {
  return {
    name: 'payloads',
    schedule,
    async run({ now, signal, state }) {
      const shapes = await keptShapes(store)
      const { rows, upTo, passedOver } = await readNewEvents(store, State.parse(state).upTo, now, signal)
      const touched = new Set<string>()
      const drifts: PayloadDrift[] = []
      let looked = 0
      for (const row of chooseEvents(rows)) {
        signal.throwIfAborted()
        const learned = await learnFrom(row, shapes, now)
        if (learned === null) continue
        shapes.set(row.kind, learned.shape)
        touched.add(row.kind)
        drifts.push(...learned.drifts)
        looked += 1
      }
      const changed = [...shapes.values()].filter(({ kind }) => touched.has(kind))
      // Another hub may have taken over meanwhile, and know more.
      signal.throwIfAborted()
      await store.saveFindings([
        ...changed.map((says) => ({ type: 'keep', finding: { sort: 'payload-shape', says } }) as const),
        ...drifts.map((says) => ({ type: 'keep', finding: { sort: 'payload-drift', says } }) as const),
      ])
      for (const { kind, path, what, event } of drifts) logger.warn({ kind, path, what, event }, 'payload.drifted')
      return { state: { upTo }, note: noteOf(looked, rows.length - looked + passedOver, changed, drifts) }
    },
  }

  async function learnFrom(
    { id, kind, receivedAt }: EventRow,
    shapes: ReadonlyMap<string, LearnedShape>,
    now: Instant,
  ) {
    const known = shapes.get(kind)
    if (known === undefined && (shapes.size >= MOST_KINDS || !KIND.test(kind))) return null
    const shape = known ?? newShape(kind)
    // An earlier run has learned it, and could not say how far it had come.
    if (id <= shape.upTo) return null
    const payload = payloadOrNull((await store.event(id))?.body ?? null)
    if (payload === null) return null
    const maps = new Set(shape.fields.flatMap(({ path, isMap }) => (isMap ? [path] : [])))
    return learn(
      shape,
      observe(payload, (path) => maps.has(path)),
      { event: id, at: receivedAt, now },
    )
  }
}

async function keptShapes(store: Pick<Store, 'findings'>): Promise<Map<string, LearnedShape>> {
  const shapes = new Map<string, LearnedShape>()
  for await (const page of findingPages(store, { sort: 'payload-shape' }))
    for (const { says } of page) shapes.set(says.kind, says)
  return shapes
}

function noteOf(
  looked: number,
  left: number,
  changed: readonly LearnedShape[],
  drifts: readonly PayloadDrift[],
): string {
  const full = changed.flatMap(({ kind, isFull }) => (isFull ? [kind] : []))
  return [
    `${counted(looked, 'payload')} of ${counted(changed.length, 'kind')} looked at${left > 0 ? `, ${left} passed over` : ''}`,
    drifts.length === 0 ? 'nothing is new in them' : `new: ${some(drifts)}`,
    ...(full.length > 0 ? [`with more fields than are learned: ${full.join(', ')}`] : []),
  ].join('; ')
}

const NAMED = 5

function some(drifts: readonly PayloadDrift[]): string {
  const names = drifts.slice(0, NAMED).map(({ kind, path, what }) => `${kind} ${path} (${what})`)
  return [...names, ...(drifts.length > NAMED ? [`${drifts.length - NAMED} more`] : [])].join(', ')
}
