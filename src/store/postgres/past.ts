import type { Owed } from '../owed.ts'
import { stepName } from '../past/past-delivery.ts'
import { pastSteps } from '../tables/past.ts'
import type { Owing } from './claiming/owing.ts'
import { perform, RepeatError, type Session } from './server/database.ts'

/** Steps that are not archived. */
export async function owedAgain(session: Session, event: Owing['event'], steps: readonly Owed[]): Promise<Owing[]> {
  const past = await perform(session, pastSteps(event.id))
  return steps.filter((step) => !past.has(stepName(step))).map((step) => ({ event, step }))
}

/** RepeatError where another hub archived a step since `owedAgain`. */
export async function expectNoneInPast(
  session: Session,
  event: Owing['event'],
  owing: readonly Owing[],
): Promise<void> {
  const steps = owing.map(({ step }) => step)
  if ((await owedAgain(session, event, steps)).length < steps.length)
    throw new RepeatError('What an event owes was moved to the past at the same time.')
}
