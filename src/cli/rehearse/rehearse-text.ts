import type { Headroom } from '../../domain/rehearsal/headroom.ts'
import { counted } from '../../domain/values/counted.ts'
import { oneLine, table } from '../shared/print.ts'
import type { RehearsalResult } from './run.ts'

/** A rehearsal for people: each promise and whether it was kept, and how much more each destination would carry. */
export function rehearsalText(result: RehearsalResult, what: string): string {
  const { webhooks, notPlayed, speed, reached, tookMs, drainedMs, promises, headroom } = result
  const left = [
    ...(notPlayed.others > 0 ? [`${notPlayed.others} that own systems handed in, or that were pulled`] : []),
    ...(notPlayed.gone > 0 ? [`${notPlayed.gone} whose payload is not kept any more`] : []),
  ]
  const broken = promises.filter(({ kept }) => !kept).length
  return [
    `${what}: ${counted(webhooks, 'webhook')} at ${speed} times the speed, in ${seconds(tookMs)}.`,
    ...(reached < speed * 0.9
      ? [`It came to ${reached} times the speed: this machine does not send, or take, more.`]
      : []),
    ...(left.length === 0 ? [] : [`Not played: ${left.join('; ')}.`]),
    '',
    ...promises.map(({ kept, promise, says }) => oneLine(`${kept ? 'kept  ' : 'BROKEN'}  ${promise}: ${says}`)),
    '',
    table(
      ['destination', 'effects', 'calls', 'a call', 'the longest', 'behind at most', 'carries'],
      headroom.map((one) => [
        one.destination,
        one.effects,
        one.calls,
        `${one.ms} ms`,
        `${one.longest} ms`,
        seconds(one.behind),
        one.carries === null ? 'nothing went there' : `${one.carries} times the day`,
      ]),
      'Config has no destinations.',
    ),
    ...slowest(headroom),
    drainedMs === null
      ? 'Something still waited at the end.'
      : `Nothing waited any more ${seconds(drainedMs)} after the last webhook.`,
    '',
    `${broken === 0 ? 'Every promise was kept' : `${broken} of ${promises.length} promises were broken`}. Destinations were shadows, and nobody was asked or told anything.`,
  ].join('\n')
}

function slowest(headroom: readonly Headroom[]): string[] {
  const [first] = headroom
    .filter(({ carries }) => carries !== null)
    .sort((a, b) => Number(a.carries) - Number(b.carries))
  return first
    ? ['', `The first to be short is ${first.destination}: it would carry ${first.carries} times this day.`]
    : []
}

function seconds(ms: number): string {
  return ms < 1_000
    ? `${Math.round(ms)} ms`
    : ms < 120_000
      ? `${Math.round(ms / 100) / 10} s`
      : `${Math.round(ms / 60_000)} min`
}
