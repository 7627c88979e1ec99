import type { Notice } from '../../domain/alarms/notice.ts'
import { afterFailure, afterTold, isDue, type Untold, withNotices } from '../../domain/alarms/outbox.ts'
import { isAtLeast } from '../../domain/alarms/rule.ts'
import { bareWhy } from '../../domain/values/bare-why.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Recipient, Teller } from './teller.ts'

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
