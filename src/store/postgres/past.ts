import type { Owed } from '../owed.ts'
import { stepName } from '../past/step-name.ts'
import { pastSteps } from '../tables/past.ts'
import type { Owing } from './claiming/owing.ts'
import { perform, RepeatError, type Session } from './server/database.ts'

/** What an event owes, but for the steps that it has in the past. */
export async function owedAgain(session: Session, event: Owing['event'], steps: readonly Owed[]): Promise<Owing[]> {
  const past = await perform(session, pastSteps(event.id))
  return steps.filter((step) => !past.has(stepName(step))).map((step) => ({ event, step }))
}

/**
 * Throws a RepeatError where a step that was just owed is in the past: another hub has moved it there after `owedAgain` had looked, and
 * its row, which would have stood in the way, was gone.
 */
export async function expectNoneInPast(
  session: Session,
  event: Owing['event'],
  owing: readonly Owing[],
): Promise<void> {
  const steps = owing.map(({ step }) => step)
  if ((await owedAgain(session, event, steps)).length < steps.length)
    throw new RepeatError('What an event owes was moved to the past at the same time.')
}
