import { startHub } from '../hub-process.ts'
import { atLeast, type Bench, type Figures, judge, type Part } from '../part.ts'
import { batch, CONNECTIONS } from '../rounds.ts'
import { now } from '../wire/clock.ts'
import { median, summarize } from '../wire/latencies.ts'
import { runBareLoop, runLoad, startSink } from '../workers.ts'

const WARM_UP = 3_000
const TIMEOUT_MS = { seconds: 120 }

/** Latencies are from the moment of resuming. */
export const drain: Part = {
  name: 'drain',
  about: 'stored events to the sink after a pause, over 64 connections, against a bare undici loop',
  async run(bench) {
    const count = bench.seconds === null ? 20_000 : bench.seconds * 2_000
    const bare: number[] = []
    const hubs: Figures[] = []
    for (let round = 1; round <= bench.rounds; round++) {
      const loop = await measureBareLoop(count)
      const hub = await measureHub(bench, count)
      bare.push(loop)
      hubs.push({ ...hub, ratio: hub.perSecond / loop })
      bench.say(`round ${round}: bare loop ${Math.round(loop)}/s, hub ${Math.round(hub.perSecond)}/s`)
    }
    const ratio = median(hubs.map((hub) => hub.ratio ?? Number.NaN))
    const perSecond = median(hubs.map((hub) => hub.perSecond))
    const figures = {
      ratio,
      perSecond,
      p50Ms: median(hubs.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(hubs.map(({ p99Ms }) => p99Ms)),
      maxMs: median(hubs.map(({ maxMs }) => maxMs)),
    }
    const limits = [atLeast('ratio', ratio, 0.2, 0.4), atLeast('per second', perSecond, 3_000)]
    return judge(bench, drain.name, figures, limits, [
      `bare undici loop: ${Math.round(median(bare))}/s`,
      `${count} events a round; times are from resuming to arrival`,
    ])
  },
}

async function measureBareLoop(count: number): Promise<number> {
  await using sink = await startSink()
  const [port = 0] = sink.ports
  const { perSecond } = await runBareLoop({ port, connections: CONNECTIONS, warmUp: WARM_UP, count })
  await sink.until(WARM_UP + count, TIMEOUT_MS)
  return perSecond
}

async function measureHub(bench: Bench, count: number): Promise<Figures> {
  await using sink = await startSink()
  const [port = 0] = sink.ports
  await using hub = await startHub(bench, { destinations: { bus: { port, publish: ['SaleCreated'] } } })
  const path = hub.webhookPath('SaleCreated')
  await runLoad(batch(hub.port, path, 0, WARM_UP))
  await sink.until(WARM_UP, TIMEOUT_MS)
  await hub.pause('bus')
  const { failed } = await runLoad(batch(hub.port, path, WARM_UP, count))
  const early = (await sink.counts()).unique[0] ?? 0
  if (failed > 0 || early > WARM_UP) {
    throw new Error(`Before resuming ${failed} events were refused and ${early - WARM_UP} delivered.`)
  }
  const resumedAt = now()
  await hub.resume('bus')
  await sink.until(WARM_UP + count, TIMEOUT_MS)
  const at = (await sink.arrivals()).arrivals[0]?.at.slice(WARM_UP) ?? []
  const latencies = summarize(at.map((time) => time - resumedAt))
  return { perSecond: count / (latencies.maxMs / 1000), ...latencies }
}
