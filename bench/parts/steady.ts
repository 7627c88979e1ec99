import { type HubProcess, startHub } from '../hub-process.ts'
import { atMost, judge, none, type Part, percent, warnings } from '../part.ts'
import { WARM_UP_SECONDS } from '../rounds.ts'
import { now } from '../wire/clock.ts'
import { runLoad, startSink } from '../workers.ts'

const RATE = 500

interface Sample {
  at: number
  rssMb: number
}

export const steady: Part = {
  name: 'steady',
  about: `open loop of ${RATE} events a second with one destination delivering; latency of the answer from when it was due`,
  hasPace: true,
  async run(bench) {
    const seconds = bench.seconds ?? 60
    await using sink = await startSink()
    const [port = 0] = sink.ports
    await using hub = await startHub(bench, { destinations: { bus: { port, publish: ['SaleCreated'] } } })
    const samples: Sample[] = []
    const sampler = setInterval(() => samples.push(sample(hub)), 1_000)
    const paths = [hub.webhookPath('SaleCreated')]
    const load = await runLoad({
      ports: [hub.port],
      paths,
      connections: 32,
      from: 0,
      warmUpSeconds: WARM_UP_SECONDS,
      seconds,
      rate: RATE,
    }).finally(() => clearInterval(sampler))
    const { unique = [] } = await sink.counts()
    const memory = samples.filter(({ at }) => at >= load.startedAt).map(({ rssMb }) => rssMb)
    const third = Math.ceil(memory.length / 3)
    const growth = mean(memory.slice(-third)) / mean(memory.slice(0, third))
    const limits = [
      atMost('p99 ms', load.p99Ms, 15),
      atMost('max ms', load.maxMs, 100),
      atMost('memory MB', Math.max(...memory), 200),
      atMost('last third / first third', growth, 1.1),
      none('events not accepted', load.failed),
    ]
    const { perSecond, p50Ms, p99Ms, maxMs } = load
    return judge(bench, steady.name, { perSecond, p50Ms, p99Ms, maxMs, cpuSeconds: hub.cpuSeconds() }, limits, [
      `memory: ${memory.map(Math.round).join(' ')} MB`,
      `at the sink when the load ended: ${unique[0]} of ${load.sent}`,
      `generator: ${percent(load.cpuShare)} of a core`,
      ...warnings('hub', load),
    ])
  },
}

function sample(hub: HubProcess): Sample {
  return { at: now(), rssMb: hub.rssMb() }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
