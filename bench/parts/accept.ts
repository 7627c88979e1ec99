import { startHub } from '../hub-process.ts'
import type { LoadResult } from '../load.ts'
import { always, atLeast, type Bench, judge, onPostgres, type Part, percent, warnings } from '../part.ts'
import { closedLoop, interleave, medians } from '../rounds.ts'
import { median } from '../wire/latencies.ts'
import { runLoad } from '../workers.ts'

const DISCARD_PORT = 9

interface Accepted extends LoadResult {
  pendingPerEvent: number
  rssMb: number
}

export const accept: Part = {
  name: 'accept',
  about: 'unique sales of 2 KB over 64 connections, committed with two owed deliveries each, against bare Express',
  async run(bench) {
    const seconds = bench.seconds ?? 10
    const rounds = await interleave(bench, seconds, () => measureAccept(bench, seconds))
    const figures = medians(rounds)
    const pending = Math.min(...rounds.map(({ hub }) => hub.pendingPerEvent))
    const limits = [
      atLeast('ratio', figures.ratio, 0.3, 0.4),
      onPostgres(atLeast('ratio', figures.ratio, 0.12, 0.2)),
      always(atLeast('owed deliveries an event', pending, 2)),
    ]
    return judge(bench, accept.name, figures, limits, [
      `bare Express: ${Math.round(median(rounds.map(({ baseline }) => baseline.perSecond)))}/s`,
      `generator: ${rounds.map(({ baseline, hub }) => `${percent(baseline.cpuShare)} / ${percent(hub.cpuShare)}`).join(', ')} of a core (baseline / hub)`,
      `hub memory at the end: ${Math.round(median(rounds.map(({ hub }) => hub.rssMb)))} MB`,
      ...rounds.flatMap(({ baseline, hub }) => [...warnings('baseline', baseline), ...warnings('hub', hub)]),
    ])
  },
}

/** One hub on its own. */
async function measureAccept(bench: Pick<Bench, 'main' | 'postgres'>, seconds: number): Promise<Accepted> {
  const destination = { port: DISCARD_PORT, publish: ['SaleCreated'] }
  await using hub = await startHub(bench, { destinations: { one: destination, two: destination } })
  await hub.pause('one')
  await hub.pause('two')
  const load = await runLoad(closedLoop(hub.port, hub.webhookPath('SaleCreated'), seconds))
  const waiting = Object.values(await hub.waiting()).reduce((sum, count) => sum + count, 0)
  return { ...load, pendingPerEvent: waiting / (load.sent - load.failed), rssMb: hub.rssMb() }
}
