import { startHub } from '../hub-process.ts'
import { atMost, judge, type Part } from '../part.ts'
import { batch, closedLoop } from '../rounds.ts'
import { type Latencies, median, summarize } from '../wire/latencies.ts'
import { runLoad, startSink } from '../workers.ts'

const EVENTS = 2_000
const CONNECTIONS = 256
const TIMEOUT_MS = { seconds: 60 }

/** Latencies are from the first byte of the burst to the arrival of each event. */
export const burst: Part = {
  name: 'burst',
  about: `${EVENTS} webhooks at once over ${CONNECTIONS} connections: from the first byte to the last event at the sink`,
  async run(bench) {
    const { rounds, say } = bench
    await using sink = await startSink()
    const [port = 0] = sink.ports
    await using hub = await startHub(bench, { destinations: { bus: { port, publish: ['SaleCreated'] } } })
    const path = hub.webhookPath('SaleCreated')
    let { sent } = await runLoad(closedLoop(hub.port, path, 1))
    await sink.until(sent, TIMEOUT_MS)
    const bursts: Latencies[] = []
    for (let round = 1; round <= rounds; round++) {
      const { trace } = await runLoad(batch(hub.port, path, sent, EVENTS, CONNECTIONS))
      await sink.until(sent + EVENTS, TIMEOUT_MS)
      const arrived = (await sink.arrivals()).arrivals[0]?.at.slice(sent) ?? []
      const firstByte = trace?.sentAt[0] ?? Number.NaN
      bursts.push(summarize(arrived.map((at) => at - firstByte)))
      sent += EVENTS
      say(`round ${round}: last one after ${Math.round(bursts.at(-1)?.maxMs ?? 0)} ms`)
    }
    const maxMs = median(bursts.map((latencies) => latencies.maxMs))
    const figures = {
      perSecond: EVENTS / (maxMs / 1000),
      p50Ms: median(bursts.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(bursts.map(({ p99Ms }) => p99Ms)),
      maxMs,
    }
    return judge(
      bench,
      burst.name,
      figures,
      [atMost('last ms', maxMs, 1_000)],
      [`bursts: ${bursts.map((latencies) => Math.round(latencies.maxMs)).join(', ')} ms`],
    )
  },
}
