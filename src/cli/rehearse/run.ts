import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/reading/load.ts'
import type { Faults } from '../../domain/rehearsal/fault.ts'
import { type Headroom, headroom } from '../../domain/rehearsal/headroom.ts'
import { type Judged, judge } from '../../domain/rehearsal/promises.ts'
import { type Slot, timetable } from '../../domain/rehearsal/timetable.ts'
import type { Witnessed } from '../../domain/rehearsal/witnessed.ts'
import { UserError } from '../../domain/values/errors.ts'
import { seedStore } from '../../hub/rehearsal/seed.ts'
import type { WebhookSource } from '../../hub/rehearsal/webhook-source.ts'
import { bookFile, readWitness } from '../../hub/rehearsal/witness.ts'
import { openReading, type StoreReading } from '../../store/reading/open-reading.ts'
import type { Progress } from '../push/progress.ts'
import { drained } from './drain.ts'
import { type Play, play } from './play.ts'
import { type RehearsedHub, startRehearsedHub } from './rehearsed-hub.ts'

/** The day that is rehearsed, and how. */
export interface Rehearsal {
  loaded: LoadedConfig
  /** Environment of the hub's process: what the config's placeholders stand for. */
  env: NodeJS.ProcessEnv
  /** Where what is known before the day is read; null: nothing is known. */
  reading: Pick<StoreReading, 'stores' | 'events' | 'event'> | null
  source: WebhookSource
  speed: number
  faults: Faults
  /** How long a call takes, by destination (milliseconds). */
  latencies: Readonly<Record<string, number>>
  /** A folder of its own, and the store in it, or elsewhere. */
  folder: string
  storeUrl: string
  /** How long lanes may take to drain, and within which webhooks are to be answered (p99; milliseconds). */
  patience: number
  within: number
  signal: AbortSignal
  progress: Progress
}

/** The words of a rehearsal. */
export interface RehearsalResult {
  webhooks: number
  /** Events of the day that are not played: they are no webhooks, or their payload is not kept any more. */
  notPlayed: { others: number; gone: number }
  /** How many times as fast as the day it was asked for, and was reached: the sender, or the hub, may not keep up. */
  speed: number
  reached: number
  /** How long it took (milliseconds). */
  tookMs: number
  /** Until nothing waited any more, after the last webhook (milliseconds); null: something still did. */
  drainedMs: number | null
  promises: Judged[]
  headroom: Headroom[]
}

/** Plays the webhooks of a day to a hub of its own, and judges what came of them. Throws what it ended with, if it did by itself. */
export async function runRehearsal(given: Rehearsal): Promise<RehearsalResult> {
  const { loaded, source, speed, faults, folder, storeUrl } = given
  const { config } = loaded
  const entities = new Set(source.came.flatMap(({ entity }) => entity ?? []))
  await seedStore(storeUrl, config, given.reading, entities, given.signal)
  given.signal.throwIfAborted()
  await using hub = await startHub(given)
  await using there = await openReading(storeUrl)
  const slots = timetable(source.came, { speed, reorder: faults.reorder })
  const { played, drainedMs } = await playAndDrain(given, { ...hub, there, slots }).catch((error: unknown) => {
    throw hub.running.ended.aborted ? hub.running.ended.reason : error
  })
  await hub.running.stop()
  const destinations = config.destinations.map(({ name, lane }) => ({ name, concurrency: lane.concurrency }))
  const witnessed = { ...(await readWitness(there, folder, destinations)), ...played }
  return resultOf(given, witnessed, played, { drainedMs, plannedMs: slots.at(-1)?.at ?? 0 })
}

interface Running {
  running: RehearsedHub
  token: string
  there: StoreReading
  slots: readonly Slot[]
}

async function playAndDrain(
  { loaded, source, faults, folder, patience, progress, ...given }: Rehearsal,
  { running, token, there, slots }: Running,
) {
  const signal = AbortSignal.any([given.signal, running.ended])
  const trouble = createTrouble(running, faults, folder)
  const played = await play({
    slots,
    source,
    url: running.url,
    token,
    eventIdHeader: loaded.config.platform.webhooks.eventIdHeader ?? null,
    double: faults.double,
    signal,
    before(part) {
      trouble.at(part)
      progress.show({ doing: 'sending', done: Math.round(part * slots.length), of: slots.length, unit: 'items' })
    },
  })
  await trouble.over()
  const sent = played.played.length
  if (sent === 0) throw new UserError('Of none of the webhooks of that day the payload is still kept.')
  const show = (left: number) => progress.show({ doing: 'delivering', done: sent, of: sent + left, unit: 'items' })
  return { played, drainedMs: await drained(there, { patience, signal, progress: show }) }
}

function resultOf(
  { source, speed, within }: Rehearsal,
  witnessed: Witnessed,
  { gone, ms }: Play,
  { drainedMs, plannedMs }: { drainedMs: number | null; plannedMs: number },
): RehearsalResult {
  // Webhooks that the sender cannot send in time come at a lower speed, and are reckoned so.
  const reached = speed * Math.min(1, (plannedMs + AT_LEAST) / Math.max(ms, 1))
  return {
    webhooks: witnessed.played.length,
    notPlayed: { others: source.others, gone },
    speed,
    reached: Math.round(reached * 10) / 10,
    tookMs: Math.round(ms),
    drainedMs: drainedMs === null ? null : Math.round(drainedMs),
    promises: judge(witnessed, within),
    headroom: headroom(witnessed, reached),
  }
}

/** Within this of the plan, the sender has kept to it: the last answers take their time (milliseconds). */
const AT_LEAST = 2_000

/** The hub, with tokens that nobody else has. */
async function startHub({ loaded, env, latencies, folder, storeUrl }: Rehearsal) {
  const token = randomBytes(24).toString('hex')
  const shadows = Object.fromEntries(
    loaded.config.destinations.map(({ name }) => [
      name,
      { latency: latencies[name] ?? 0, book: bookFile(folder, name) },
    ]),
  )
  const running = await startRehearsedHub({
    env: { ...env, TILLBRIDGE_CONFIG: loaded.path },
    given: { storeUrl, webhookToken: token, adminToken: randomBytes(24).toString('hex'), shadows },
    log: join(folder, 'hub.log'),
  })
  return { running, token, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}

/** Lets things go wrong when so much of the day has been sent: a third of it, the half, two thirds. */
function createTrouble(hub: RehearsedHub, { kill, slow, down }: Faults, folder: string) {
  const flags = [
    ...slow.map((name) => `${bookFile(folder, name)}.slow`),
    ...down.map((name) => `${bookFile(folder, name)}.down`),
  ]
  let set = false
  let killed: Promise<void> | null = null

  function killNow(): Promise<void> {
    killed = hub.killAndRestart()
    // Whoever waits for it is told; until then, `ended` tells the others.
    killed.catch(() => {})
    return killed
  }

  function raise(wanted: boolean): void {
    if (wanted === set) return
    set = wanted
    for (const flag of flags) wanted ? closeSync(openSync(flag, 'w')) : rmSync(flag, { force: true })
  }

  return {
    at(part: number): void {
      raise(part >= 1 / 3 && part < 2 / 3)
      if (kill && part >= 1 / 2 && killed === null) void killNow()
    },
    async over(): Promise<void> {
      raise(false)
      if (kill) await (killed ?? killNow())
    },
  }
}
