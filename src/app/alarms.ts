import { hostname } from 'node:os'
import type { Config } from '../config/config.ts'
import { ALARM_RULES, type AlarmRule, STORE_RULE } from '../domain/alarms/rules.ts'
import type { ConfigIssue } from '../domain/values/errors.ts'
import { createStoreWatch, createTeller, keptAlarms, type Recipient } from '../jobs/alarms.ts'
import { oneOf } from '../lib/suggest.ts'
import type { Base } from './infrastructure.ts'
import type { Outage } from './outage.ts'
import type { ConfigIssueList, Systems } from './systems.ts'

interface Parts {
  systems: Systems
  outage: Outage
  opened: AsyncDisposableStack
  configIssues: ConfigIssueList
}

export function openAlarms(
  { alarms, server }: Pick<Config, 'alarms' | 'server'>,
  { storage, ownClock, clock, logger }: Base,
  { systems, outage, opened, configIssues }: Parts,
) {
  configIssues.add(recipientConfigIssues(alarms, systems))
  const recipients = systems.notifiable.flatMap(({ name, notify }): Recipient[] => {
    const named = alarms.to[name]
    return named && notify ? [{ name, least: named.least, addresses: named.recipients, notify }] : []
  })
  const rules = ALARM_RULES.map(
    (rule): AlarmRule => ({ ...rule, severity: alarms.severity[rule.name] ?? rule.severity }),
  )
  const teller = createTeller({ hub: hubName(server.publicUrl), clock: ownClock })
  // State in memory is per setup.
  const by = crypto.randomUUID()
  const rule = rules.find(({ name }) => name === STORE_RULE.name) ?? STORE_RULE
  const notifying = { recipients, teller, by, logger }
  const watch = opened.use(createStoreWatch({ ...notifying, storeNow: outage.look, rule, clock: ownClock }))
  const ending = new AbortController()
  opened.defer(() => ending.abort(new Error('The hub is stopping.')))

  return {
    forJob: { ...notifying, rules, clock },
    watch,
    rules,
    recipients: recipients.map(({ name, least, addresses }) => ({ name, least, addresses: addresses.length })),

    async kept() {
      const { watched, unsent } = await keptAlarms(storage)
      return { active: [...watch.active(), ...watched.filter(({ raisedAt }) => raisedAt !== null)], unsent }
    },

    async test(): Promise<{ to: string; why: string | null }[]> {
      const all = recipients.map(async (one) => ({ to: one.name, why: await teller.test(one, ending.signal) }))
      return await Promise.all(all)
    },
  }
}

/** Public host, else the machine's name. */
function hubName(publicUrl: string | undefined): string {
  return publicUrl === undefined ? hostname() : new URL(publicUrl).host
}

function recipientConfigIssues(alarms: Config['alarms'], { notifiable, targets }: Systems): ConfigIssue[] {
  const names = targets.map(({ name }) => name)
  return Object.entries(alarms.to).flatMap(([name, { recipients }]): ConfigIssue[] => {
    const path = ['alarms', 'to', name]
    const one = notifiable.find((system) => system.name === name)
    if (one === undefined) return [{ path, expected: `a destination: ${oneOf(name, names, 'config has none yet')}` }]
    if (one.notify === null) return [{ path, expected: 'a destination that can tell people something: smtp or http' }]
    if (one.dryRun) return [{ path, expected: 'a destination without dryRun: it sends nothing' }]
    if (one.mails && recipients.length === 0) return [{ path: [...path, 'recipients'], expected: 'who gets the mails' }]
    if (!one.mails && recipients.length > 0)
      return [{ path: [...path, 'recipients'], expected: 'none: this destination sends no e-mail' }]
    return []
  })
}
