import {
  afterFailure,
  afterTold,
  isDue,
  type Notice,
  noticeText,
  noticeTitle,
  type Untold,
  withNotices,
} from '../../domain/alarms/notice.ts'
import { isAtLeast, type Severity } from '../../domain/alarms/rules.ts'
import { bareWhy } from '../../domain/values/bare-why.ts'
import { digestOf } from '../../domain/values/digest.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { lasting } from '../../domain/values/lasting.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Question } from '../../ports/attempt.ts'
import type { OwnNotice } from '../../ports/notice.ts'

interface Sending {
  recipients: readonly Recipient[]
  teller: Teller
  clock: Pick<Clock, 'now'>
  logger: Logger
  signal: AbortSignal
  /** Keeps what is left, after each that was told or failed. */
  keep(untold: Untold[]): Promise<void>
}

/** Adds notices for whom they concern; what was kept for somebody whom config does not name any more goes, and is logged. */
export function addressed(
  untold: readonly Untold[],
  notices: readonly Notice[],
  { recipients, logger }: Pick<Sending, 'recipients' | 'logger'>,
): Untold[] {
  const known = untold.filter(({ to }) => recipients.some(({ name }) => name === to))
  for (const { to, notices } of untold)
    if (!known.some((one) => one.to === to)) logger.warn({ to, notices: notices.length }, 'alarms.dropped')
  return recipients.reduce(
    (all, { name, least }) =>
      withNotices(
        all,
        name,
        notices.filter(({ severity }) => isAtLeast(severity, least)),
      ),
    known,
  )
}

/** Tells everybody what is due to them, in order, one recipient beside the other. Gives what is left. */
export async function sendDue(untold: readonly Untold[], sending: Sending): Promise<Untold[]> {
  const { recipients, clock } = sending
  let left: Untold[] = [...untold]
  // One after the other keeps: each writes all that is left.
  let keeping: Promise<void> = Promise.resolve()

  async function change(to: string, one: Untold | null): Promise<void> {
    left = left.flatMap((before) => (before.to === to ? (one ?? []) : [before]))
    const now = left
    keeping = keeping.then(() => sending.keep(now))
    await keeping
  }

  const due = untold.filter((one) => isDue(one, clock.now()))
  await Promise.all(
    due.map(async (first) => {
      const recipient = recipients.find(({ name }) => name === first.to)
      let one: Untold | null = first
      while (one !== null && recipient !== undefined) {
        const failed = await sendFirst(one, recipient, sending)
        one = failed ?? afterTold(one)
        await change(first.to, one)
        if (failed !== null) return
      }
    }),
  )
  return left
}

/** Null: it was told. */
async function sendFirst(
  one: Untold,
  to: Recipient,
  { teller, clock, logger, signal }: Sending,
): Promise<Untold | null> {
  const [notice] = one.notices
  if (notice === undefined) return null
  const why = await teller.tell(to, notice, one, signal)
  if (why !== null) {
    logger.warn({ to: to.name, rule: notice.rule, why, tries: one.tries + 1 }, 'alarm.not-told')
    return afterFailure(one, bareWhy(to.name, why), clock.now())
  }
  logger.info({ to: to.name, rule: notice.rule, change: notice.change, since: one.since }, 'alarm.told')
  return null
}

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

/** Says notices in the log: what begins as an error where a person has to act, what is over as information. */
export function sayInLog(notices: readonly Notice[], logger: Logger): void {
  for (const notice of notices) {
    const { rule, severity, change, says, things, more } = notice
    const facts = { rule, severity, title: noticeTitle(notice), things: things.map(({ thing }) => thing), more }
    if (change === 'over') logger.info(facts, 'alarm.over')
    else if (severity === 'note') logger.warn({ ...facts, says }, 'alarm.began')
    else logger.error({ ...facts, says }, 'alarm.began')
  }
}
