import { startHub } from '../hub-process.ts'
import { atMost, judge, type Part } from '../part.ts'
import { now } from '../wire/clock.ts'
import { openConnection } from '../wire/connection.ts'
import { summarize } from '../wire/latencies.ts'
import { openReceiver } from '../wire/receiver.ts'
import { requestTemplate } from '../wire/template.ts'

const WARM_UP = 1_000
const SAMPLES = 2_000
const PATIENCE_MS = 30_000

/** Sender and receiver are this process: nothing else happens meanwhile. */
export const idle: Part = {
  name: 'idle',
  about: 'from sending one webhook to its arrival at the sink, one at a time',
  async run(bench) {
    let arrived: (event: number) => void = () => undefined
    await using sink = await openReceiver({ onArrival: (event) => arrived(event) })
    await using hub = await startHub(bench, {
      destinations: { bus: { port: sink.port, publish: ['SaleCreated'] } },
    })
    const request = requestTemplate(hub.webhookPath('SaleCreated'))
    let answered: (status: number) => void = () => undefined
    let fail: (error: Error) => void = () => undefined
    const connection = await openConnection(hub.port, {
      onAnswer: (status) => answered(status),
      onError: (error) => fail(error),
    })
    try {
      const latencies: number[] = []
      for (let event = 0; event < WARM_UP + SAMPLES; event++) latencies.push(await sendOne(event))
      const measured = latencies.slice(WARM_UP)
      const figures = {
        perSecond: 1000 / (measured.reduce((sum, latency) => sum + latency, 0) / SAMPLES),
        ...summarize(measured),
      }
      return judge(
        bench,
        idle.name,
        figures,
        [atMost('p99 ms', figures.p99Ms, 25)],
        [`${SAMPLES} samples after ${WARM_UP}`],
      )
    } finally {
      connection.close()
    }

    /** Resolves with the latency once both have happened: the answer, and the arrival. */
    async function sendOne(event: number): Promise<number> {
      const answer = Promise.withResolvers<void>()
      const arrival = Promise.withResolvers<number>()
      const late = () => answer.reject(new Error(`Event ${event} did not arrive within ${PATIENCE_MS} ms.`))
      fail = answer.reject
      answered = (status) => (status === 202 ? answer.resolve() : fail(new Error(`Answered ${status}.`)))
      arrived = (number) => number === event && arrival.resolve(now())
      const patience = setTimeout(late, PATIENCE_MS)
      request.set(event)
      const sentAt = now()
      connection.send(request.buffer)
      const [arrivedAt] = await Promise.all([arrival.promise, answer.promise])
      clearTimeout(patience)
      return arrivedAt - sentAt
    }
  },
}
