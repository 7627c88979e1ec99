import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '../../sandbox/demo/start-flags.ts'
import { openStorage } from '../../src/storage/open.ts'
import { startHub } from '../hub-process.ts'
import { atLeast, atMost, type Bench, judge, none, onPostgres, type Part } from '../part.ts'
import { summarize } from '../wire/latencies.ts'
import { startSink } from '../workers.ts'
import { askAll, reported, SLOW, slowestOf } from '../years/ask.ts'
import { countOf, DESTINATIONS, destinationsAt } from '../years/events.ts'
import { take } from '../years/fill.ts'
import { questionsOf } from '../years/questions.ts'
import { makeYearOld, STORE_FILE, yearOldFolder } from '../years/year-old.ts'

/** So many of ten million events are copied in half an hour, a second. */
const GOAL = 10_000_000 / 1_800

/** Latencies are those of commits of 64 arrivals, when it was copied. */
export const copy: Part = {
  name: 'copy',
  about:
    'store copy of ten million events (--seconds: a thousand a second, 300,000 at least) to the server; then what it takes there, and every question there is',
  needsPostgres: true,
  onlyNamed: true,
  async run(bench) {
    if (bench.postgres === null) throw new Error('Give --store.')
    const count = countOf(bench.seconds)
    using schema = bench.postgres.newSchema()
    using folder = yearOldFolder(bench.yearOld)
    await makeYearOld(folder.path, count, bench.say)
    const seconds = await runCopy(`file:${join(folder.path, STORE_FILE)}`, schema.url)
    bench.say(`copied in ${seconds.toFixed(0)} s`)
    await using sink = await startSink(DESTINATIONS.map(() => false))
    await using hub = await startHub(bench, {
      storeUrl: schema.url,
      destinations: destinationsAt(sink.ports),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder that the hub fills
      lookups: { customers: { tokens: ['${POS_TOKEN}'], perMinute: 100_000 } },
    })
    let ended = 0
    await hub.killAndRestart(async () => {
      ended = performance.now()
    })
    const start = performance.now() - ended
    const asked = await askAll(hub, questionsOf(count))
    const rss = hub.rssMb()
    let taken = { perSecond: 0, latencies: [] as number[] }
    await hub.killAndRestart(async () => {
      await using storage = await openStorage(schema.url, { sameBytesWindow: 0 })
      taken = await take(storage, { from: count, to: count + Math.ceil(count / 50) }, bench.say)
    })
    return judged(bench, { count, seconds, start, asked, rss, taken })
  },
}

interface Measured {
  count: number
  seconds: number
  start: number
  asked: Awaited<ReturnType<typeof askAll>>
  rss: number
  taken: Awaited<ReturnType<typeof take>>
}

function judged(bench: Bench, { count, seconds, start, asked, rss, taken }: Measured) {
  const figures = { perSecond: taken.perSecond, ...summarize(taken.latencies) }
  const slowest = Math.max(...asked.map(({ p95 }) => p95))
  const limits = [
    onPostgres(atLeast('copied a second', count / seconds, GOAL)),
    onPostgres(atLeast('accepted a second', taken.perSecond, 1_500, 3_000)),
    onPostgres(atMost('p99 ms of a commit', figures.p99Ms, 50)),
    onPostgres({ ...atMost('p95 ms of a question', slowest, 100), goal: SLOW }),
    onPostgres(atMost('ready after ms', start, 2_000)),
    none('questions that failed', asked.filter(({ wrong }) => wrong > 0).length),
  ]
  return judge(bench, copy.name, figures, limits, [
    `${count} events were copied in ${seconds.toFixed(0)} s (${Math.round(count / seconds)} a second); ready after ${Math.round(start)} ms; ${Math.round(rss)} MB of memory after ${asked.length} questions`,
    ...asked.filter(({ wrong }) => wrong > 0).map(({ name }) => `failed: ${name}`),
    ...slowestOf(asked).map(reported),
  ])
}

/** The command, as an operator types it; how long it took (seconds). */
async function runCopy(from: string, to: string): Promise<number> {
  const began = performance.now()
  const args = ['bin/tillbridge.mjs', 'store', 'copy', '--from', from, '--to', to, '--json']
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`store copy ended with ${code}.`)
  return (performance.now() - began) / 1_000
}
