import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HubProcess, startHub } from '../hub-process.ts'
import type { LoadResult } from '../load.ts'
import { always, atLeast, atMost, type Bench, doubts, judge, onPostgres, type Part, percent } from '../part.ts'
import { closedLoop } from '../rounds.ts'
import { median } from '../wire/latencies.ts'
import { runLoad, type Sink, startSink } from '../workers.ts'

const MANY = 3
/** Three hubs, the server, the load and the sink: on fewer cores they take them from each other. */
const CORES_NEEDED = 6
const PATIENCE_SECONDS = 300

interface Round {
  one: Taken
  many: Taken
}

interface Taken extends LoadResult {
  /** Accepted events that a destination is owed not once, summed over the destinations. */
  wrong: number
}

export const hubs: Part = {
  name: 'hubs',
  about: `accept with one hub and with ${MANY} on one schema, the load spread over them; then everything is delivered`,
  needsPostgres: true,
  async run(bench) {
    const seconds = bench.seconds ?? 10
    const rounds: Round[] = []
    let undelivered = 0
    for (let round = 1; round <= bench.rounds; round++) {
      const one = await measure(bench, 1, seconds)
      const many = await measure(bench, MANY, seconds, async (those, sink, accepted) => {
        // Once is enough, and takes longer than the rest.
        if (round === bench.rounds) undelivered = await deliverAll(those, sink, accepted)
      })
      rounds.push({ one, many })
      bench.say(`round ${round}: one hub ${Math.round(one.perSecond)}/s, ${MANY} hubs ${Math.round(many.perSecond)}/s`)
    }
    const all = rounds.map(({ many }) => many)
    const ratio = median(rounds.map(({ one, many }) => many.perSecond / one.perSecond))
    const wrong = rounds.reduce((sum, { one, many }) => sum + one.wrong + many.wrong, 0)
    const cores = cpus().length
    const limits = [
      always(atMost('events not there once', wrong, 0)),
      always(atMost('not delivered once', undelivered, 0)),
    ]
    if (cores >= CORES_NEEDED) limits.push(onPostgres(atLeast('ratio', ratio, 1.5)))
    const figures = {
      ratio,
      perSecond: median(all.map(({ perSecond }) => perSecond)),
      p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
      maxMs: median(all.map(({ maxMs }) => maxMs)),
    }
    return judge(bench, hubs.name, figures, limits, [
      `one hub: ${Math.round(median(rounds.map(({ one }) => one.perSecond)))}/s; the ratio is ${MANY} hubs to one`,
      ...(cores < CORES_NEEDED
        ? [`the ratio is not judged: ${MANY} hubs, server and load share ${cores} cores, and it takes ${CORES_NEEDED}`]
        : []),
      `generator: ${rounds.map(({ one, many }) => `${percent(one.cpuShare)} / ${percent(many.cpuShare)}`).join(', ')} of a core`,
      ...rounds.flatMap(({ one, many }) => [...doubts('one hub', one), ...doubts(`${MANY} hubs`, many)]),
    ])
  },
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
