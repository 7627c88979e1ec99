import { always, atLeast, judge, type Part, percent } from '../part.ts'
import { median } from '../wire/latencies.ts'
import { measureAccept } from './accept.ts'

/** As much slower than the other checkout may this one be: less than what one round differs from the next. */
const FLOOR = 0.97

export const versus: Part = {
  name: 'versus',
  about: 'accept, this checkout and the one of --before in turn',
  needsBefore: true,
  async run(bench) {
    const seconds = bench.seconds ?? 10
    const main = bench.before ?? bench.main
    const rounds: { before: number; now: number; p50Ms: number; p99Ms: number; maxMs: number }[] = []
    for (let round = 1; round <= bench.rounds; round++) {
      // Each goes first in every other round: what the machine does meanwhile hits both.
      const [first, second] = round % 2 === 1 ? [main, bench.main] : [bench.main, main]
      const one = await measureAccept({ ...bench, main: first }, seconds)
      const other = await measureAccept({ ...bench, main: second }, seconds)
      const [before, now] = round % 2 === 1 ? [one, other] : [other, one]
      rounds.push({ ...now, before: before.perSecond, now: now.perSecond })
      bench.say(`round ${round}: before ${Math.round(before.perSecond)}/s, now ${Math.round(now.perSecond)}/s`)
    }
    const of = (figure: (round: (typeof rounds)[number]) => number) => median(rounds.map(figure))
    const figures = {
      ratio: of(({ now, before }) => now / before),
      perSecond: of(({ now }) => now),
      p50Ms: of(({ p50Ms }) => p50Ms),
      p99Ms: of(({ p99Ms }) => p99Ms),
      maxMs: of(({ maxMs }) => maxMs),
    }
    const ratios = rounds.map(({ now, before }) => percent(now / before)).join(', ')
    return judge(
      bench,
      versus.name,
      figures,
      [always(atLeast('ratio', figures.ratio, FLOOR))],
      [`before: ${Math.round(of(({ before }) => before))}/s; now in percent of it, round by round: ${ratios}`],
    )
  },
}
