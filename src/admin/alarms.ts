import { Router } from 'express'
import type { Untold } from '../domain/alarms/notice.ts'
import type { AlarmRule, Severity } from '../domain/alarms/rules.ts'
import type { Acts } from './acts.ts'
import { type Looking, type StandingAlarm, standingOf } from './examine/look.ts'
import { parse, Told } from './filters.ts'

interface Options {
  alarms: Looking['alarms'] & {
    recipients: readonly AlarmRecipient[]
    /** Tells each recipient that nothing is wrong. */
    test(): Promise<AlarmTested[]>
  }
  acts: Acts
}

/** Somebody who is told; `addresses`: how many of e-mail. */
interface AlarmRecipient {
  name: string
  least: Severity
  addresses: number
}

/** `why`: why a recipient could not be told; null: it was. */
export interface AlarmTested {
  to: string
  why: string | null
}

/** The alarms of a hub. */
export interface ShownAlarms {
  rules: readonly AlarmRule[]
  recipients: readonly AlarmRecipient[]
  standing: StandingAlarm[]
  /** Recipients that have not got all of it; how many, and since when. */
  untold: (Pick<Untold, 'to' | 'since' | 'tries' | 'nextAt' | 'why'> & { notices: number })[]
}

/** `/admin/alarms`: the rules, what stands, who is told, and whether they can be. */
export function createAlarmsAdmin({ alarms, acts }: Options): Router {
  const router = Router()
  const { rules, recipients } = alarms

  router.get('/', async (_, response) => {
    const { standing, untold } = await alarms.kept()
    response.json({
      rules,
      recipients,
      standing: standingOf(standing, rules),
      untold: untold.map(({ notices, dropped, ...one }) => ({ ...one, notices: notices.length + dropped })),
    } satisfies ShownAlarms)
  })

  router.post('/test', acts.of('test-alarms'), async (request, response) => {
    const { reason } = parse(Told, request.body ?? {})
    await acts.note(request, { action: 'test-alarms', selection: {}, reason, changed: recipients.length })
    response.json({ told: await alarms.test() })
  })
  return router
}
