import { createReadStream, existsSync } from 'node:fs'
import { fileOf } from '../../src/storage/open.ts'
import type { HubProcess } from '../hub-process.ts'
import { always, atMost, type Bench, judge, none, type Part } from '../part.ts'
import { summarize } from '../wire/latencies.ts'
import { startLive, startSink } from '../workers.ts'
import { countOf, DESTINATIONS, destinationsAt, emailOf } from '../years/events.ts'
import { startYearOldHub } from '../years/year-old-hub.ts'

/** Somebody who buys, with neither a dead nor a held delivery: one in 50,000 events is theirs. */
const SOMEONE = 4_242

interface FoundThem {
  events: number
}

interface Erased {
  proof: { touched: Record<string, number>; secondPass: { found: number; warnings: string[]; searched: Searched[] } }
}

interface Searched {
  what: string
  bytes: number
}

/** Latencies are those of webhooks that come one after the other while somebody is erased. */
export const forgetYears: Part = {
  name: 'erase-years',
  about:
    'one person among 50,000 is erased in ten million events with compressed payloads (--seconds: a thousand a second, 300,000 at least), with the second pass over all bytes',
  onlyNamed: true,
  async run(bench) {
    const count = countOf(bench.seconds)
    await using sink = await startSink(DESTINATIONS.map(() => false))
    await using hub = await startYearOldHub(bench, { destinations: destinationsAt(sink.ports) }, count)
    return await judged(bench, hub)
  },
}

async function judged(bench: Bench, hub: HubProcess) {
  await using live = await startLive(hub, 'SaleCreated')
  const who = emailOf(SOMEONE)
  const finding = performance.now()
  const { events } = await hub.admin<FoundThem>('people/find', { who })
  const found = (performance.now() - finding) / 1_000
  bench.say(`${events} events are theirs, found in ${found.toFixed(1)} s`)
  const erasing = performance.now()
  const { proof } = await hub.admin<Erased>('people/erase', { who, reason: 'asked for it', skipOpen: true })
  const seconds = (performance.now() - erasing) / 1_000
  const latencies = summarize(await live.end())
  const { secondPass, touched } = proof
  const left = await timesIn(fileOf(hub.storeUrl), who)
  const again = await hub.admin<FoundThem>('people/find', { who })
  const limits = [
    always(atMost('seconds to erase', seconds, 60)),
    none('times that the second pass found something', secondPass.found),
    none('times that the file has the address', left),
    none('events that are found afterwards', again.events),
  ]
  return judge(bench, forgetYears.name, { perSecond: events / seconds, ...latencies }, limits, [
    `${events} events are theirs: found in ${found.toFixed(1)} s, erased in ${seconds.toFixed(1)} s`,
    `rows: ${Object.entries(touched)
      .map(([table, rows]) => `${rows} of ${table}`)
      .join(', ')}`,
    ...secondPass.searched.map(({ what, bytes }) => `looked through: ${what}, ${Math.round(bytes / 1e6)} MB`),
    ...secondPass.warnings.map((warning) => `doubt: ${warning}`),
  ])
}

/** How often the bytes of a store's files have a text; what is compressed is the second pass's to look through. */
async function timesIn(file: string, text: string): Promise<number> {
  let times = 0
  for (const path of [file, `${file}-wal`].filter((path) => existsSync(path))) {
    let before = ''
    for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 4 * 1024 * 1024 })) {
      const read = before + chunk
      for (let at = read.indexOf(text); at >= 0; at = read.indexOf(text, at + 1)) times++
      before = read.slice(-(text.length - 1))
    }
  }
  return times
}
