import { always, atLeast, type Bench, type Figures, judge, type Part, percent } from '../part.ts'
import { median } from '../wire/latencies.ts'
import { accept } from './accept.ts'

/** As much slower than the other checkout may this one be: less than what one round differs from the next. */
const FLOOR = 0.97

interface Round {
  before: Figures
  now: Figures
}

/** What is asked for by name; `choose` in bench.ts puts the parts in its place that are named beside it. */
export const versus: Part = {
  name: 'versus',
  about: 'the parts that are named beside it (else accept), this checkout and the one of --before in turn',
  needsBefore: true,
  run: (bench) => versusOf(accept).run(bench),
}

/** One part, measured in both checkouts in turn, so that what the machine does meanwhile hits both. */
export function versusOf(part: Part): Part {
  const name = `versus ${part.name}`
  return {
    name,
    about: `${part.about}; this checkout and the one of --before in turn`,
    needsBefore: true,
    async run(bench) {
      const rounds = await measureBoth(part, bench)
      const of = (figure: (round: Round) => number) => median(rounds.map(figure))
      const ratios = rounds.map(({ before, now }) => speedOf(part, now) / speedOf(part, before))
      const figures = {
        ratio: median(ratios),
        perSecond: of(({ now }) => now.perSecond),
        p50Ms: of(({ now }) => now.p50Ms),
        p99Ms: of(({ now }) => now.p99Ms),
        maxMs: of(({ now }) => now.maxMs),
      }
      return judge(
        bench,
        name,
        figures,
        [always(atLeast('ratio', figures.ratio, FLOOR))],
        [
          `before: ${Math.round(of(({ before }) => before.perSecond))}/s, p50 ${of(({ before }) => before.p50Ms).toFixed(1)} ms, p99 ${of(({ before }) => before.p99Ms).toFixed(1)} ms`,
          `now in percent of it${part.hasPace ? ', by what the hub needs or by how soon half of it is done' : ''}, round by round: ${ratios.map(percent).join(', ')}`,
          ...needs(rounds),
        ],
      )
    },
  }
}

/** At a given pace, half of the latencies lie near a millisecond and differ by a fifth from one run to the next: what the hub needs says more. */
function speedOf({ hasPace }: Part, { perSecond, p50Ms, cpuSeconds = Number.NaN }: Figures): number {
  if (!hasPace) return perSecond
  return Number.isNaN(cpuSeconds) ? 1 / p50Ms : 1 / cpuSeconds
}

function needs(rounds: Round[]): string[] {
  const of = (side: keyof Round) => rounds.flatMap((round) => round[side].cpuSeconds?.toFixed(1) ?? [])
  return of('now').length === 0
    ? []
    : [`seconds of a processor: before ${of('before').join(', ')}; now ${of('now').join(', ')}`]
}

/** Each goes first in every other round. */
async function measureBoth(part: Part, bench: Bench): Promise<Round[]> {
  const measure = (main: string) => part.run({ ...bench, main, rounds: 1 })
  const other = bench.before ?? bench.main
  const rounds: Round[] = []
  for (let round = 1; round <= bench.rounds; round++) {
    const isFirst = round % 2 === 1
    const one = await measure(isFirst ? other : bench.main)
    const two = await measure(isFirst ? bench.main : other)
    rounds.push(isFirst ? { before: one, now: two } : { before: two, now: one })
  }
  return rounds
}
