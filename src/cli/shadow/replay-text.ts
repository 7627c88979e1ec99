import type { Difference } from '../../domain/shadow/difference.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Replayed } from '../../hub/shadow/replay.ts'
import { oneLine, table } from '../shared/print.ts'

/** A replay for people: what differs, by destination and flow, and then call by call. */
export function replayText(replayed: Replayed, paths: { before: string; after: string }): string {
  const { events, left, calls, groups, differences, otherwise, counts } = replayed
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return [
    oneLine(`- ${paths.before}: ${counted(calls.before, 'call')}`),
    oneLine(`+ ${paths.after}: ${counted(calls.after, 'call')}`),
    ...(differences.length === 0 ? [] : ['', ...differences.flatMap(linesOf)]),
    ...(all > differences.length ? [`… and ${counted(all - differences.length, 'more')} (--limit)`] : []),
    '',
    table(
      ['destination', 'flow', 'change', 'calls'],
      groups.map(({ destination, flow, change, count }) => [destination, flow, WORDS[change], count]),
      'Both would make the same calls.',
    ),
    ...(otherwise.length === 0
      ? []
      : ['', `The adapter or its options differ: the same calls reach ${otherwise.join(', ')} otherwise.`]),
    '',
    `${counted(events, 'event')} planned under both${left === 0 ? '' : `; ${left} could not be: quarantined, or the payload is not kept any more`}. Nothing was carried out.`,
  ].join('\n')
}

const WORDS: Readonly<Record<Difference['change'], string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  'not-made': 'not made, for another reason',
}

const SIGNS: Readonly<Record<Difference['change'], string>> = {
  added: '+',
  removed: '-',
  changed: '~',
  'not-made': '!',
}

function linesOf({ event, kind, destination, flow, part, entity, change, method, why, fields }: Difference): string[] {
  const step = part === '' ? flow : `${flow} ${part}`
  const about = entity === null ? '' : ` about ${entity}`
  const because = why === null ? '' : `: ${change === 'added' ? 'before, ' : ''}${why}`
  return [
    `${SIGNS[change]} ${destination} ${step}${method === null ? '' : ` (${method})`}, event ${event} ${kind}${about}${because}`,
    ...fields.map(({ path, before, after }) => `    ${path}: ${before ?? 'nothing'} → ${after ?? 'nothing'}`),
  ].map(oneLine)
}
