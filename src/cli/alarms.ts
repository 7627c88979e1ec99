import type { AlarmTested } from '../admin/context.ts'
import type { ActiveAlarm } from '../admin/health.ts'
import type { ShownAlarms } from '../admin/operations.ts'
import { formatDuration } from '../domain/values/instant.ts'
import { EXIT } from './shared/exit.ts'
import { ago, type Columns, inSoLong, ownLines, tableOf } from './shared/output.ts'
import { asks, group } from './shared/question.ts'

const RULES: Columns<ShownAlarms['rules'][number]> = {
  rule: 'name',
  severity: 'severity',
  after: ({ after }) => (after === 0 ? 'at once' : formatDuration(after)),
  says: 'says',
}

const list = asks<ShownAlarms>('list', 'GET /admin/alarms', {
  about: 'Active alarms, their recipients, and what could not be sent',
  text: ({ active, recipients, unsent }) => {
    const [, ...lines] = activeAlarmLines(active)
    return [
      ...(lines.length === 0 ? ['No alarm stands.'] : lines),
      lines.length > 0 && '\nWhat to do about each, "tillbridge status" says.',
      '',
      tableOf(
        { to: 'name', 'at least': 'least', addresses: ({ addresses }) => addresses || '' },
        recipients,
        'Config names nobody (alarms.to): alarms stand in the log alone.',
      ),
      ...unsent.map(
        ({ to, notices, since, nextAt, why }) =>
          since !== null &&
          ownLines(`\n${to} could not be told of ${notices} for ${ago(since)}, next try ${inSoLong(nextAt)}: ${why}`),
      ),
    ]
  },
})

const rules = asks<ShownAlarms>('rules', 'GET /admin/alarms', {
  about: 'Every alarm: its meaning, its severity, how long it must last',
  text: (found) => tableOf(RULES, found.rules, 'There are no rules.'),
})

const test = asks<{ reported: AlarmTested[] }>('test', 'POST /admin/alarms/test', {
  about: 'Send a test notice to every recipient of alarms; exit code 1 if one did not take it, or there is none',
  with: (command) => command.option('--reason <text>', 'why, for the audit'),
  text: ({ reported }) =>
    tableOf(
      { to: 'to', '': ({ why }) => why ?? 'took it' },
      reported,
      'Nobody was told: config names no recipient (alarms.to), so alarms are only in the log.',
    ),
  exit: ({ reported }) =>
    reported.length === 0 || reported.some(({ why }) => why !== null) ? EXIT.problem : undefined,
})

export const alarms = group('alarms', 'What is told when something is wrong, and to whom', list, rules, test)

/** With a heading; empty without alarms. */
export function activeAlarmLines(active: readonly ActiveAlarm[] | null, now = Date.now()): string[] {
  if (active === null || active.length === 0) return []
  const lines = active.map(({ severity, rule, thing, says, since, goneAt = null }) => {
    // A cleared alarm stays until it is sure not to return.
    const lasted =
      goneAt === null
        ? `For ${ago(since, now)}.`
        : `It was so for ${formatDuration(Math.max(0, goneAt - since))}, and last found ${ago(goneAt, now)} ago.`
    return ownLines(`${severity.toUpperCase()} ${rule}: ${thing}: ${says} ${lasted}`)
  })
  return ['', 'Alarms that stand:', ...lines]
}
