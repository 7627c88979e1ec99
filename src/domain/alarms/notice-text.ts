import { counted } from '../values/counted.ts'
import { formatInstant } from '../values/instant.ts'
import { lasting } from '../values/lasting.ts'
import type { Notice, NoticeThing } from './notice.ts'

/** One line: `ALARM deliveries-dead: lane shop prompt`, `over: deliveries-dead: lane shop prompt, after 20 min`. */
export function noticeTitle({ rule, severity, change, things, more }: Notice): string {
  const [only] = things
  const count = things.length + more
  const about = count === 1 && only ? only.thing : counted(count, 'thing')
  if (change === 'began') return `${severity.toUpperCase()} ${rule}: ${about}`
  const lasted = count === 1 && only?.lasted ? `, after ${lasting(only.lasted)}` : ''
  return `over: ${rule}: ${about}${lasted}`
}

/** The whole of it, as plain text. */
export function noticeText(notice: Notice): string {
  const { says, things, more, change } = notice
  return [
    noticeTitle(notice),
    ...(change === 'began' ? [says] : []),
    '',
    ...things.flatMap(thingLines),
    ...(more > 0 ? [`… and ${more} more.`, ''] : []),
  ].join('\n')
}

function thingLines({ thing, since, lasted, means, todo }: NoticeThing): string[] {
  const when = lasted === null ? `since ${formatInstant(since)}` : `${formatInstant(since)}, for ${lasting(lasted)}`
  return [
    `${thing}, ${when}`,
    ...(means === null ? [] : [`  ${means}`]),
    ...(todo === null ? [] : [`  To do: ${todo}`]),
    '',
  ]
}
