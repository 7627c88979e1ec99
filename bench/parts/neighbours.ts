import { setTimeout as sleep } from 'node:timers/promises'
import { startHub } from '../hub-process.ts'
import type { LoadResult } from '../load.ts'
import { atMost, judge, none, type Part, percent, warnings } from '../part.ts'
import { WARM_UP_SECONDS } from '../rounds.ts'
import { summarize } from '../wire/latencies.ts'
import type { Arrivals } from '../wire/receiver.ts'
import { runLoad, startSink } from '../workers.ts'

/** One for each destination. A sale will do as the payload of each: their own are not shown, or are a sale. */
const KINDS = [
  'SaleCreated',
  'SaleExternalCreated',
  'InvoiceCreated',
  'OmniChannelEndlessAisleOrderCreated',
  'GiftCardTransactionCreated',
  'StockAdjustmentCreated',
  'StockReservationCreated',
  'ProductTransferCreated',
  'DeliveryCompleted',
  'SavedForOnlineCheckoutCreated',
]
const RATE_EACH = 50
const HANGING = KINDS.length - 1

export const neighbours: Part = {
  name: 'neighbours',
  about: `ten destinations at ${RATE_EACH} events a second each, one never answers: latency from due to the sink of the nine`,
  hasPace: true,
  async run(bench) {
    const seconds = bench.seconds ?? 60
    await using sink = await startSink(KINDS.map((_kind, index) => index === HANGING))
    const destinations = KINDS.map((kind, index) => [`d${index}`, { port: sink.ports[index] ?? 0, publish: [kind] }])
    await using hub = await startHub(bench, { destinations: Object.fromEntries(destinations) })
    const load = await runLoad({
      ports: [hub.port],
      paths: KINDS.map(hub.webhookPath),
      connections: 32,
      from: 0,
      warmUpSeconds: WARM_UP_SECONDS,
      seconds,
      rate: RATE_EACH * KINDS.length,
      trace: true,
    })
    await sleep(2_000)
    const { arrivals, received } = await sink.arrivals()
    const well = arrivals.filter((_arrivals, index) => index !== HANGING)
    const each = well.map((_arrivals, index) => follow(load, arrivals, index))
    const latencies = summarize(each.flatMap((destination) => destination.latencies))
    const worstP99 = Math.max(...each.map((destination) => summarize(destination.latencies).p99Ms))
    const backlog = Math.max(...each.map((destination) => destination.backlog))
    const limits = [
      atMost('backlog', backlog, 49),
      atMost('p99 ms of each', worstP99, 100),
      none('events not accepted', load.failed),
    ]
    const figures = { perSecond: load.perSecond, ...latencies, cpuSeconds: hub.cpuSeconds() }
    return judge(bench, neighbours.name, figures, limits, [
      `highest backlog of the nine: ${backlog}; the worst p99 of one: ${worstP99.toFixed(1)} ms`,
      `requests at the one that hangs: ${received[HANGING]}`,
      `generator: ${percent(load.cpuShare)} of a core`,
      ...warnings('hub', load),
    ])
  },
}

/** One destination's latencies (an event that never came counts as infinite) and its highest backlog. */
function follow({ trace, startedAt }: LoadResult, arrivals: Arrivals[], destination: number) {
  const { events = [], at = [] } = arrivals[destination] ?? {}
  const arrivedAt = new Map(events.map((event, index) => [event, at[index] ?? Number.POSITIVE_INFINITY]))
  const latencies: number[] = []
  const steps: [time: number, change: number][] = []
  trace?.sentAt.forEach((sentAt, event) => {
    if (event % KINDS.length !== destination || sentAt < startedAt) return
    const arrival = arrivedAt.get(event) ?? Number.POSITIVE_INFINITY
    latencies.push(arrival - sentAt)
    steps.push([trace.answeredAt[event] ?? sentAt, 1], [arrival, -1])
  })
  let open = 0
  let backlog = 0
  for (const [, change] of steps.sort(([a], [b]) => a - b)) {
    open += change
    backlog = Math.max(backlog, open)
  }
  return { latencies, backlog }
}
