import type { LoadJob, LoadResult } from './load.ts'
import type { Bench, Figures } from './part.ts'
import { median } from './wire/latencies.ts'
import { runLoad, startBaseline } from './workers.ts'

export const WARM_UP_SECONDS = 3
export const CONNECTIONS = 64

export interface Round<Hub> {
  baseline: LoadResult
  hub: Hub
}

/** Baseline, hub, baseline, hub …: what the machine does meanwhile hits both. Each measurement starts anew. */
export async function interleave<Hub extends LoadResult>(
  bench: Bench,
  seconds: number,
  measureHub: () => Promise<Hub>,
): Promise<Round<Hub>[]> {
  const rounds: Round<Hub>[] = []
  for (let round = 1; round <= bench.rounds; round++) {
    const baseline = await measureBaseline(seconds)
    const hub = await measureHub()
    rounds.push({ baseline, hub })
    bench.say(`round ${round}: baseline ${Math.round(baseline.perSecond)}/s, hub ${Math.round(hub.perSecond)}/s`)
  }
  return rounds
}

export function closedLoop(port: number | number[], path: string, seconds: number): LoadJob {
  const ports = [port].flat()
  return { ports, paths: [path], connections: CONNECTIONS, from: 0, warmUpSeconds: WARM_UP_SECONDS, seconds }
}

/** So many events as fast as answers come, without a warm-up. */
export function batch(port: number, path: string, from: number, count: number, connections = CONNECTIONS): LoadJob {
  return { ports: [port], paths: [path], connections, from, warmUpSeconds: 0, seconds: 120, count, trace: true }
}

/** Medians over the rounds; the ratio is taken within a round first. */
export function medians(rounds: Round<LoadResult>[]): Figures & { ratio: number } {
  const hubs = rounds.map(({ hub }) => hub)
  return {
    ratio: median(rounds.map(({ baseline, hub }) => hub.perSecond / baseline.perSecond)),
    perSecond: median(hubs.map(({ perSecond }) => perSecond)),
    p50Ms: median(hubs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(hubs.map(({ p99Ms }) => p99Ms)),
    maxMs: median(hubs.map(({ maxMs }) => maxMs)),
  }
}

async function measureBaseline(seconds: number): Promise<LoadResult> {
  await using server = await startBaseline()
  return await runLoad(closedLoop(server.port, '/webhooks/SaleCreated/all?token=none', seconds))
}
