import type { Notice } from '../../domain/alarms/notice.ts'
import { noticeText, noticeTitle } from '../../domain/alarms/notice-text.ts'
import type { Severity } from '../../domain/alarms/rule.ts'
import { digestOf } from '../../domain/values/digest.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { lasting } from '../../domain/values/lasting.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Question } from '../../ports/attempt.ts'
import type { OwnNotice } from '../../ports/notice.ts'

/** Somebody who is told of alarms: a destination, by connections of its own, past lanes and deliveries. */
export interface Recipient {
  /** The operator's name of the destination. */
  name: string
  least: Severity
  /** Addresses; none where the destination itself is told. */
  addresses: readonly string[]
  notify(notice: OwnNotice, question: Question): Promise<void>
}

/** The past of a notice: since when it could not be told, and how many before it gave way. */
interface Late {
  since: Instant | null
  dropped: number
}

/** One try takes no longer (milliseconds). A mail server looks through a mail before it answers, Exchange for up to 30 s. */
const PATIENCE = { webhook: 15_000, mail: 60_000 }

/** Tells one recipient at once. Null: it has it; else why not, without secrets. Never rejects, but for the end of the hub. */
export function createTeller({ hub, clock }: { hub: string; clock: Clock }) {
  async function send(to: Recipient, notice: OwnNotice, ending: AbortSignal): Promise<string | null> {
    const late = new AbortController()
    const hung = Promise.withResolvers<string>()
    const patience = PATIENCE[to.addresses.length > 0 ? 'mail' : 'webhook']
    const cancel = clock.after(patience, () => {
      late.abort(new Error('the deadline is over'))
      hung.resolve(`it did not answer within ${lasting(patience)}`)
    })
    const signal = AbortSignal.any([ending, late.signal])
    try {
      const told = to.notify(notice, { signal }).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      return await Promise.race([told, hung.promise])
    } finally {
      cancel()
      ending.throwIfAborted()
    }
  }

  return {
    tell(to: Recipient, notice: Notice, late: Late, ending: AbortSignal): Promise<string | null> {
      const { rule, severity, change, says, at, more } = notice
      const things = notice.things.map(({ since, lasted, ...thing }) => ({
        ...thing,
        since: formatInstant(since),
        seconds: lasted === null ? null : Math.round(lasted / 1_000),
      }))
      const own: OwnNotice = {
        key: `alarm:${rule}:${change}:${digestOf(notice)}:${to.name}`,
        kind: change === 'began' ? 'AlarmBegan' : 'AlarmOver',
        urgent: change === 'began' && severity === 'page',
        subject: `[Tillbridge ${hub}] ${noticeTitle(notice)}`,
        text: [...lateLines(late), noticeText(notice), ...footer(hub)].join('\n'),
        facts: { hub, rule, severity, change, says, at: formatInstant(at), things, more },
        to: to.addresses,
      }
      return send(to, own, ending)
    },

    /** Tells it that nothing is wrong, so that people know whether an alarm would reach them. */
    test(to: Recipient, ending: AbortSignal): Promise<string | null> {
      const at = formatInstant(clock.now())
      const text = ['Nothing is wrong. Somebody wanted to know whether alarms arrive here: they do.', ...footer(hub)]
      return send(
        to,
        {
          key: `alarm:test:${at}:${to.name}`,
          kind: 'AlarmTest',
          urgent: false,
          subject: `[Tillbridge ${hub}] test of the alarms`,
          text: text.join('\n'),
          facts: { hub, rule: null, change: 'test', at },
          to: to.addresses,
        },
        ending,
      )
    },
  }
}

export type Teller = ReturnType<typeof createTeller>

function lateLines({ since, dropped }: Late): string[] {
  const lines = [
    ...(since === null ? [] : [`This could not be told before; it has been tried since ${formatInstant(since)}.`]),
    ...(dropped === 0 ? [] : [`${dropped} before it could not be told at all: the log has them.`]),
  ]
  return lines.length === 0 ? [] : [...lines, '']
}

function footer(hub: string): string[] {
  return [
    `From the hub ${hub}. It is said once when it begins, and once when it is over.`,
    'tillbridge status shows what is wrong now, tillbridge alarms rules what each alarm means.',
  ]
}
