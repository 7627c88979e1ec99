import { startHub } from '../hub-process.ts'
import type { LoadResult } from '../load.ts'
import { atLeast, type Bench, judge, type Part, percent, warnings } from '../part.ts'
import { closedLoop, interleave, medians } from '../rounds.ts'
import { median } from '../wire/latencies.ts'
import { runLoad, startSink } from '../workers.ts'

interface Through extends LoadResult {
  deliveredPerSecond: number
  /** Accepted but not yet at the sink when the load ended. */
  backlog: number
}

export const through: Part = {
  name: 'through',
  about: 'the same load with one destination that delivers to a loopback sink meanwhile',
  async run(bench) {
    const seconds = bench.seconds ?? 10
    const rounds = await interleave(bench, seconds, () => measure(bench, seconds))
    const figures = medians(rounds)
    return judge(
      bench,
      through.name,
      figures,
      [atLeast('ratio', figures.ratio, 0.12, 0.2)],
      [
        `delivered meanwhile: ${Math.round(median(rounds.map(({ hub }) => hub.deliveredPerSecond)))}/s`,
        `backlog at the end: ${median(rounds.map(({ hub }) => hub.backlog))} events`,
        `generator: ${percent(median(rounds.map(({ hub }) => hub.cpuShare)))} of a core`,
        ...rounds.flatMap(({ baseline, hub }) => [...warnings('baseline', baseline), ...warnings('hub', hub)]),
      ],
    )
  },
}

async function measure(bench: Bench, seconds: number): Promise<Through> {
  await using sink = await startSink()
  const [port = 0] = sink.ports
  await using hub = await startHub(bench, { destinations: { bus: { port, publish: ['SaleCreated'] } } })
  const load = await runLoad(closedLoop(hub.port, hub.webhookPath('SaleCreated'), seconds))
  const at = (await sink.arrivals()).arrivals[0]?.at ?? []
  const arrived = at.filter((time) => time <= load.endedAt)
  const meanwhile = arrived.filter((time) => time >= load.startedAt)
  const deliveredPerSecond = meanwhile.length / ((load.endedAt - load.startedAt) / 1000)
  return { ...load, deliveredPerSecond, backlog: load.sent - load.failed - arrived.length }
}
