import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HubProcess, startHub } from '../hub-process.ts'
import type { LoadResult } from '../load.ts'
import { atLeast, type Bench, judge, none, onPostgres, type Part, percent, warnings } from '../part.ts'
import { closedLoop } from '../rounds.ts'
import { median } from '../wire/latencies.ts'
import { runLoad, type Sink, startSink } from '../workers.ts'

/** So many hubs beside each other, what they take to what one takes, and the cores without which nobody can tell: theirs, and two for the server, one for the load, one for the sink. */
const SETS = [
  { count: 2, floor: 1.7, cores: 6 },
  { count: 4, floor: 3, cores: 8 },
] as const

const PATIENCE_SECONDS = 300

interface Round {
  one: Taken
  /** Of each set. */
  many: Taken[]
}

interface Taken extends LoadResult {
  /** Accepted events that a destination is owed not once, summed over the destinations. */
  wrong: number
}

export const hubs: Part = {
  name: 'hubs',
  about: 'accept with one hub, two and four on one schema, the load spread over them; then everything is delivered',
  needsPostgres: true,
  async run(bench) {
    const seconds = bench.seconds ?? 10
    const rounds: Round[] = []
    let undelivered = 0
    for (let round = 1; round <= bench.rounds; round++) {
      const one = await measure(bench, 1, seconds)
      const many: Taken[] = []
      for (const { count } of SETS) {
        // Once is enough, and takes longer than the rest.
        const isLast = round === bench.rounds && count === SETS.at(-1)?.count
        const deliver = async (those: HubProcess[], sink: Sink, accepted: number) => {
          undelivered = await deliverAll(those, sink, accepted)
        }
        many.push(await measure(bench, count, seconds, isLast ? deliver : undefined))
      }
      rounds.push({ one, many })
      bench.say(`round ${round}: ${[one, ...many].map(({ perSecond }) => `${Math.round(perSecond)}/s`).join(', ')}`)
    }
    return judged(bench, rounds, undelivered)
  },
}

function judged(bench: Bench, rounds: readonly Round[], undelivered: number) {
  const ratios = SETS.map((_, nth) =>
    median(rounds.map(({ one, many }) => (many[nth]?.perSecond ?? 0) / one.perSecond)),
  )
  const wrong = rounds.flatMap(({ one, many }) => [one, ...many]).reduce((sum, taken) => sum + taken.wrong, 0)
  const cores = cpus().length
  const judgable = SETS.map((set, nth) => ({ ...set, ratio: ratios[nth] ?? 0 }))
  const most = rounds.flatMap(({ many }) => many.at(-1) ?? [])
  const limits = [
    none('events not there once', wrong),
    none('not delivered once', undelivered),
    ...judgable
      .filter((set) => cores >= set.cores)
      .map(({ count, ratio, floor }) => onPostgres(atLeast(`${count} hubs to one`, ratio, floor))),
  ]
  const figures = {
    ratio: ratios.at(-1) ?? 0,
    perSecond: median(most.map(({ perSecond }) => perSecond)),
    p50Ms: median(most.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(most.map(({ p99Ms }) => p99Ms)),
    maxMs: median(most.map(({ maxMs }) => maxMs)),
  }
  const unable = judgable.filter((set) => cores < set.cores)
  return judge(bench, hubs.name, figures, limits, [
    `one hub: ${Math.round(median(rounds.map(({ one }) => one.perSecond)))}/s; ${judgable.map(({ count, ratio }) => `${count} hubs take ${ratio.toFixed(2)} times as much`).join(', ')}`,
    ...unable.map(
      (set) =>
        `${set.count} hubs are not judged: they, the server and the load share ${cores} cores, and it takes ${set.cores}`,
    ),
    `generator: ${rounds.map(({ one, many }) => [one, ...many].map(({ cpuShare }) => percent(cpuShare)).join(' / ')).join(', ')} of a core`,
    ...rounds.flatMap(({ one, many }) => [one, ...many].flatMap((taken, nth) => warnings(`set ${nth + 1}`, taken))),
  ])
}

/** `afterwards` may let the hubs go on with what was accepted. */
async function measure(
  bench: Bench,
  count: number,
  seconds: number,
  afterwards: (those: HubProcess[], sink: Sink, accepted: number) => Promise<void> = async () => {},
): Promise<Taken> {
  await using running = new AsyncDisposableStack()
  const sink = running.use(await startSink([false, false]))
  const [one = 0, two = 0] = sink.ports
  const publish = ['SaleCreated']
  const destinations = { one: { port: one, publish }, two: { port: two, publish } }
  const first = running.use(await startHub(bench, { destinations }))
  const those = [first]
  while (those.length < count) those.push(running.use(await startHub(bench, { destinations, beside: first })))
  await first.pause('one')
  await first.pause('two')
  const ports = those.map(({ port }) => port)
  const load = await runLoad(closedLoop(ports, first.webhookPath('SaleCreated'), seconds))
  const accepted = load.sent - load.failed
  const waiting = await first.waiting()
  await afterwards(those, sink, accepted)
  return { ...load, wrong: Math.abs(accepted - (waiting.one ?? 0)) + Math.abs(accepted - (waiting.two ?? 0)) }
}

/** How many of the deliveries are left in the end, came not at all, or came twice. */
async function deliverAll([first]: HubProcess[], sink: Sink, accepted: number): Promise<number> {
  if (!first) return accepted
  await first.resume('one')
  await first.resume('two')
  const deadline = performance.now() + PATIENCE_SECONDS * 1_000
  for (;;) {
    const { one = 0, two = 0 } = await first.waiting()
    if (one + two === 0 || performance.now() > deadline) {
      const { received, unique } = await sink.counts()
      const odd = received.map(
        (count, index) => Math.abs(accepted - (unique[index] ?? 0)) + count - (unique[index] ?? 0),
      )
      return one + two + odd.reduce((sum, each) => sum + each, 0)
    }
    await sleep(500)
  }
}
