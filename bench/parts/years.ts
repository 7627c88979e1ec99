import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HubProcess, startHub } from '../hub-process.ts'
import { always, atLeast, atMost, type Bench, judge, none, type Part } from '../part.ts'
import { summarize } from '../wire/latencies.ts'
import { startSink } from '../workers.ts'
import { askAll, reported, SLOW, slowestOf } from '../years/ask.ts'
import { countOf, DESTINATIONS, destinationsAt } from '../years/events.ts'
import { type Filled, fill } from '../years/fill.ts'
import { questionsOf } from '../years/questions.ts'

/** Latencies are those of commits of 64 arrivals while it fills. */
export const years: Part = {
  name: 'years',
  about:
    'ten million events of 400 bytes with two deliveries each (--seconds: a thousand a second, 300,000 at least), and every question there is',
  takesLong: true,
  async run(bench) {
    const count = countOf(bench.seconds)
    await using sink = await startSink(DESTINATIONS.map(() => false))
    await using hub = await startHub(bench, {
      destinations: destinationsAt(sink.ports),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder that the hub fills
      lookups: { customers: { tokens: ['${POS_TOKEN}'], perMinute: 100_000 } },
    })
    let filled: Filled | null = null
    let ended = 0
    await hub.killAndRestart(async () => {
      filled = await fill(hub.storeUrl, count, bench.say)
      ended = performance.now()
    })
    const first = performance.now() - ended
    // Once more: the first start takes over what the filling has left.
    await hub.killAndRestart(async () => {
      ended = performance.now()
    })
    const start = Math.max(first, performance.now() - ended)
    return await judged(bench, hub, count, filled, start)
  },
}

async function judged(bench: Bench, hub: HubProcess, count: number, filled: Filled | null, start: number) {
  if (filled === null) throw new Error('The store was not filled.')
  const { perSecond, latencies, indexed } = filled
  bench.say(
    `filled at ${Math.round(perSecond)}/s, indexed in ${indexed.toFixed(0)} s; ready after ${Math.round(start)} ms`,
  )
  const rssAtStart = hub.rssMb()
  const asked = await askAll(hub, questionsOf(count))
  const slowest = Math.max(...asked.map(({ p95 }) => p95))
  const figures = { perSecond, ...summarize(latencies) }
  const size = sizeOf(hub.storeUrl)
  const limits = [
    atLeast('accepted a second', perSecond, 1_500, 3_000),
    atMost('p99 ms of a commit', figures.p99Ms, 50),
    always({ ...atMost('p95 ms of a question', slowest, 100), goal: SLOW }),
    always(atMost('ready after ms', start, 2_000)),
    none('questions that failed', asked.filter(({ wrong }) => wrong > 0).length),
  ]
  return judge(bench, years.name, figures, limits, [
    `${count} events of about 400 bytes, indexed in ${indexed.toFixed(0)} s; ready after ${Math.round(start)} ms`,
    `${Math.round(rssAtStart)} MB of memory after the start, ${Math.round(hub.rssMb())} MB after ${asked.length} questions${size}`,
    ...asked.filter(({ wrong }) => wrong > 0).map(({ name }) => `failed: ${name}`),
    ...slowestOf(asked).map(reported),
  ])
}

/** Of a file alone: a server has its own. */
function sizeOf(storeUrl: string): string {
  if (!storeUrl.startsWith('file:')) return ''
  const folder = dirname(storeUrl.slice('file:'.length))
  const names = readdirSync(folder).filter((name) => name.startsWith('tillbridge.db'))
  const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  return `, ${Math.round(bytes / 1e6)} MB on disk`
}
