import { describe, expect, test } from 'vitest'
import {
  ALARM_RULES,
  type AlarmRule,
  isAtLeast,
  isOf,
  SEVERITIES,
  STORE_RULE,
} from '../../../src/domain/alarms/rules.ts'
import type { HealthItem } from '../../../src/domain/health/health.ts'

const MINUTE = 60_000

type Found = Pick<HealthItem, 'area' | 'state'> & { name?: string; fault?: HealthItem['fault'] }

function item({ area, state, name = 'any', fault }: Found): HealthItem {
  return { area, name, state, since: null, means: 'It is so.', todo: null, ...(fault && { fault }) } as HealthItem
}

/** The first rule that speaks of a finding, as people know it. */
function ruleOf(found: Found): unknown[] {
  const rule = ALARM_RULES.find((each: AlarmRule) => isOf(each, item(found)))
  return [rule?.name, rule?.severity, (rule?.after ?? 0) / MINUTE, rule?.quotes]
}

const problem = 'problem'
const note = 'note'

/** Mails, config and other systems know alarms by these names; whether one wakes somebody, and how soon, is their owners' decision. */
describe('which alarm a finding becomes', () => {
  test.each<[Found, string, string, number, boolean]>([
    [{ area: 'store', state: problem }, 'store-cannot-write', 'page', 1, false],
    [{ area: 'disk', state: problem, fault: 'file' }, 'store-file-gone', 'page', 0, true],
    [{ area: 'disk', state: problem, fault: 'log' }, 'store-log-very-long', 'alarm', 0, true],
    [{ area: 'disk', state: note, fault: 'log' }, 'store-log-long', 'note', 10, true],
    [{ area: 'disk', state: problem }, 'disk-almost-full', 'page', 0, true],
    [{ area: 'disk', state: note }, 'disk-fills', 'note', 10, true],
    [{ area: 'clock', state: problem }, 'clock-off', 'alarm', 2, true],
    [{ area: 'destination', state: problem, fault: 'outage' }, 'destination-down', 'alarm', 0, false],
    [{ area: 'destination', state: problem, fault: 'gone' }, 'destination-gone', 'alarm', 0, true],
    [{ area: 'queue', state: problem, fault: 'dead' }, 'deliveries-dead', 'alarm', 0, true],
    [{ area: 'queue', state: problem, fault: 'held' }, 'deliveries-held', 'alarm', 0, true],
    [{ area: 'queue', state: problem, fault: 'waiting' }, 'deliveries-wait', 'alarm', 0, true],
    [{ area: 'event', state: problem, name: 'late' }, 'things-late', 'alarm', 0, true],
    [{ area: 'event', state: problem, name: 'conflict' }, 'events-in-conflict', 'alarm', 0, true],
    [{ area: 'event', state: problem, name: 'unrouted' }, 'events-out-of-place', 'note', 0, true],
    [{ area: 'job', state: problem }, 'job-fails', 'alarm', 0, false],
    [{ area: 'subscription', state: problem }, 'subscription-wrong', 'alarm', 0, false],
    [{ area: 'completeness', state: problem, name: 'claimed' }, 'events-claimed', 'page', 0, true],
    [{ area: 'completeness', state: problem, name: 'log of sales' }, 'log-expires', 'page', 0, true],
    [{ area: 'completeness', state: note, name: 'log of sales' }, 'log-half-gone', 'alarm', 0, true],
    [{ area: 'completeness', state: problem, name: 'gaps' }, 'gaps-open', 'alarm', 0, true],
    [{ area: 'list', state: problem }, 'rows-unreadable', 'alarm', 0, true],
    [{ area: 'schema', state: problem }, 'schema-breaks', 'alarm', 0, true],
    [{ area: 'schema', state: note }, 'schema-changed', 'note', 0, true],
    [{ area: 'inactivity', state: note, name: 'most stores' }, 'most-stores-quiet', 'note', 0, true],
    [{ area: 'inactivity', state: problem, name: 'most stores' }, 'stores-silent', 'page', 0, true],
    [{ area: 'inactivity', state: problem, name: 'store 12' }, 'store-silent', 'alarm', 0, true],
    [{ area: 'inactivity', state: problem, name: 'SaleCreated' }, 'kind-silent', 'alarm', 0, true],
    [{ area: 'alarm', state: problem }, 'alarms-not-sent', 'alarm', 10, false],
    [{ area: 'job', state: 'unknown' }, 'not-known', 'alarm', 5, false],
    [{ area: 'destination', state: problem }, 'needs-a-person', 'alarm', 0, false],
  ])('When it is %j, then it is %s, a %s, after %s min; its words are repeated: %s', (found, ...expected) => {
    expect(ruleOf(found)).toEqual(expected)
  })

  test('When all is well, or something is to be noted that nobody need know, then there is none', () => {
    expect(ruleOf({ area: 'disk', state: 'ok' })[0]).toBeUndefined()
    expect(ruleOf({ area: 'job', state: note })[0]).toBeUndefined()
  })

  test('When the store cannot write, then each hub says so by a rule that is one of the table', () => {
    expect(ALARM_RULES[0]).toBe(STORE_RULE)
  })
})

test('When somebody wants to be told from a severity on, then of that and of worse', () => {
  const reported = (least: (typeof SEVERITIES)[number]) => SEVERITIES.filter((severity) => isAtLeast(severity, least))
  expect([reported('note'), reported('alarm'), reported('page')]).toEqual([
    ['note', 'alarm', 'page'],
    ['alarm', 'page'],
    ['page'],
  ])
})
