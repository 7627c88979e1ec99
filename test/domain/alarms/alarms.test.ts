import { describe, expect, test } from 'vitest'
import {
  afterFailure,
  afterSent,
  isDue,
  type Notice,
  noticesOf,
  noticeText,
  noticeTitle,
  type TrackedAlarm,
  trackAlarms,
  withNotices,
} from '../../../src/domain/alarms/notice.ts'
import {
  ALARM_RULES,
  type AlarmRule,
  isAtLeast,
  isOf,
  SEVERITIES,
  STORE_RULE,
} from '../../../src/domain/alarms/rules.ts'
import { type HealthItem, okItem } from '../../../src/domain/health/health.ts'
import { destinationHealth, type QueueSnapshot } from '../../../src/domain/health/hub-health.ts'
import { diskHealth } from '../../../src/domain/health/storage-health.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 22, 12)

const dead: HealthItem = {
  area: 'queue',
  name: 'shop prompt',
  state: 'problem',
  fault: 'dead',
  since: null,
  means: '3 deliveries are dead.',
  todo: 'tillbridge deliveries list',
}
const down = (state: 'note' | 'problem'): HealthItem => ({
  area: 'destination',
  name: 'shop',
  state,
  fault: 'outage',
  since: START - 20 * MINUTE,
  means: 'Down: it answered "Kari Nordmann" (http-500).',
  todo: 'tillbridge probe shop',
})
const IDLE: QueueSnapshot = {
  ...{ name: 'shop', urgency: 'prompt', waiting: 0, held: 0, dead: 0, oldestWaiting: null, oldestHeld: null },
  ...{ outage: null, failing: null, tookAt: null, callsPerSecond: null, paused: null, configured: true },
}
const blind: HealthItem = { ...okItem('queue', 'all', 'Not known.'), state: 'unknown' }

/** Looks once a minute at these findings, one list a look. `by`: the run of a hub that looks; by number. `ahead`: its clock. */
function play(
  looks: (readonly HealthItem[])[],
  by: (look: number) => string = () => 'one',
  ahead: (look: number) => number = () => 0,
) {
  let watched: TrackedAlarm[] = []
  return looks.map((items, look) => {
    const now = START + look * MINUTE + ahead(look)
    const followed = trackAlarms(watched, items, ALARM_RULES, { now, by: by(look) })
    watched = followed.watched
    return noticesOf(followed, ALARM_RULES, now).map(noticeTitle)
  })
}

/** Days ahead at the first looks, and then put back. */
const aheadFor = (looks: number) => (look: number) => (look < looks ? 5 * 24 * 60 * MINUTE : 0)

describe('when a clock was ahead, and was put back', () => {
  test('When a cause was seen first by it, then the patience of its rule begins with the first look after it', () => {
    expect(play(Array(8).fill([blind]), undefined, aheadFor(1)).flat()).toEqual(['ALARM not-known: queue all'])
  })

  test('When a cause was gone by it, then it is over two minutes after that was put back', () => {
    expect(play([[dead], [], [], [], []], undefined, aheadFor(2)).flat()).toEqual([
      'ALARM deliveries-dead: queue shop prompt',
      'over: deliveries-dead: queue shop prompt',
    ])
  })
})

describe('when a cause begins and ends', () => {
  test('When it lasts, then it is said once, and once when it has been gone for two minutes, with how long it was so', () => {
    expect(play([[dead], [dead], [], [], [], []])).toEqual([
      ['ALARM deliveries-dead: queue shop prompt'],
      [],
      [],
      [],
      ['over: deliveries-dead: queue shop prompt, after 2 min'],
      [],
    ])
  })

  test('an alarm is over at the next look where its thing is found to be well', () => {
    expect(play([[dead], [dead], [okItem('queue', 'shop prompt', 'Empty.')], []])).toEqual([
      ['ALARM deliveries-dead: queue shop prompt'],
      [],
      ['over: deliveries-dead: queue shop prompt, after 2 min'],
      [],
    ])
  })

  test('When it comes and goes, then it is one cause', () => {
    expect(play([[dead], [], [dead], [], [dead]]).flat()).toEqual(['ALARM deliveries-dead: queue shop prompt'])
  })

  test('When a rule has patience, then what passes meanwhile is never said', () => {
    expect(play([[blind], [blind], [blind], [], []]).flat()).toEqual([])
    expect(play(Array(6).fill([blind])).flat()).toEqual(['ALARM not-known: queue all'])
  })

  test('When a delivery waits for more than a day, and another of its queue is held, then both are said, and neither as over', () => {
    const longAgo = START - 30 * 60 * MINUTE
    const queue = { ...IDLE, waiting: 1, oldestWaiting: longAgo }
    const waits = destinationHealth([queue], START)
    const both = destinationHealth([{ ...queue, held: 1, oldestHeld: START }], START)
    expect(play([waits, both, both, both, both]).flat()).toEqual([
      'ALARM deliveries-wait: queue shop prompt',
      'ALARM deliveries-held: queue shop prompt',
    ])
    expect(play([both, waits, waits, waits]).flat()).toEqual([
      'ALARM deliveries-held: queue shop prompt',
      'ALARM deliveries-wait: queue shop prompt',
      'over: deliveries-held: queue shop prompt, after 1 min',
    ])
  })

  test('When nobody can tell how queues are, then what was wrong with them counts neither as over nor as new', () => {
    expect(play([[dead], [blind], [blind], [blind], [blind], [dead]]).flat()).toEqual([
      'ALARM deliveries-dead: queue shop prompt',
    ])
  })
})

describe('when a hub starts again, or another one looks', () => {
  test('When a destination that was down is down again, but not yet for a quarter of an hour, then that is the same cause', () => {
    const notes = Array(10).fill([down('note')])
    const looks = [[down('problem')], [], ...notes, [down('problem')]]
    expect(play(looks, (look) => (look === 0 ? 'before' : 'after')).flat()).toEqual([
      'ALARM destination-down: destination shop',
    ])
  })

  test('When a run of another hub does not see what one has in memory, then it is over after a quarter of an hour only', () => {
    const said = play([[down('problem')], ...Array(20).fill([])], (look) => (look === 0 ? 'one' : 'other'))
    expect(said.flatMap((titles, look) => titles.map((title) => `${look} ${title}`))).toEqual([
      '0 ALARM destination-down: destination shop',
      '16 over: destination-down: destination shop, after 21 min',
    ])
  })

  test('an alarm of a destination is over at once where the hub that started again has reached it, and not where it was only not tried', () => {
    const well = okItem('destination', 'shop', 'It takes what is sent.')
    const by = (look: number) => (look === 0 ? 'before' : 'after')
    const said = (...looks: HealthItem[]) => play([[down('problem')], ...looks.map((item) => [item])], by)
    expect(said({ ...well, isMet: true })).toMatchObject(
      [[/ALARM/], [/^over: destination-down/]].map((titles) => titles.map((title) => expect.stringMatching(title))),
    )
    expect(said(well, well, well).flat()).toHaveLength(1)
  })

  test('When what is wrong is kept in the store, then any hub may say that it is over', () => {
    const said = play([[dead], [], [], []], (look) => String(look))
    expect(said.flat()).toContain('over: deliveries-dead: queue shop prompt, after 1 min')
  })
})

describe('the words', () => {
  const only = (items: readonly HealthItem[]) =>
    noticesOf(trackAlarms([], items, ALARM_RULES, { now: START, by: 'one' }), ALARM_RULES, START)

  test('When a hundred causes begin at once under one rule, then they are one notice that names the first twenty', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...dead, name: `shop${index} prompt` }))
    const [notice, ...others] = only(many)
    if (!notice) throw new Error('Nothing was said.')
    expect(others).toEqual([])
    expect(noticeTitle(notice)).toBe('ALARM deliveries-dead: 100 things')
    expect(noticeText(notice)).toContain('… and 80 more.')
  })

  test("When a finding repeats what an outside system answered, then the notice does not: a rule's own words and the command stand there", () => {
    const [notice] = only([down('problem')])
    if (!notice) throw new Error('Nothing was said.')
    const text = noticeText(notice)
    expect(text).not.toContain('Kari')
    expect(text).toContain('Nothing reaches the destination; its deliveries wait, in order.')
    expect(text).toContain('To do: tillbridge probe shop')
    expect(text).toContain('since 2026-11-22T11:40:00.000Z')
  })

  test('When health finds something that no rule speaks of, then a person is told all the same', () => {
    const { fault: _, ...strange } = dead
    const [notice] = only([strange])
    expect(notice?.rule).toBe('needs-a-person')
  })
})

test('When the table is read, then no two rules share a name, and each finding of a kind has a rule before the last', () => {
  const names = ALARM_RULES.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.at(-1)).toBe('needs-a-person')
  for (const { says } of ALARM_RULES) expect(says).toMatch(/^[A-Z].*\.$/)
})

test("When the disk has room, and the store's file is gone or its log has grown, then that is what is said, and not that the disk is full", () => {
  const disk = { free: 10 ** 10, size: 2 * 10 ** 10, folder: '/data', file: '/data/hub.db', wal: 0, isGone: false }
  const said = (more: object) => play([diskHealth({ ...disk, ...more })]).flat()
  expect(said({ isGone: true })).toEqual(['PAGE store-file-gone: disk /data/hub.db'])
  expect(said({ wal: 3 * 1024 ** 3 })).toEqual(['ALARM store-log-very-long: disk wal'])
  expect(said({ free: 10 ** 7 })).toEqual(['PAGE disk-almost-full: disk /data'])
})

describe('notifications that were not sent', () => {
  const SECOND = 1_000
  const MINUTE = 60 * SECOND
  const NOW = Date.UTC(2026, 10, 22, 12)

  const notice = (key: string) => ({ key }) as unknown as Notice

  test('when a recipient cannot be told, then pauses double from 30 s up to a quarter of an hour, and it is known since when', () => {
    let [one] = withNotices([], 'mail', [notice('a')])
    const pauses: number[] = []
    for (let n = 0; n < 8 && one; n += 1) {
      const now = NOW + n * MINUTE
      one = afterFailure(one, 'it hung up', now)
      pauses.push((one.nextAt - now) / SECOND)
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900, 900])
    expect(one).toMatchObject({ tries: 8, since: NOW, why: 'it hung up' })
  })

  test('when the first was told, then the next is due at once, and nothing of the failure is left', () => {
    const [unsent] = withNotices([], 'mail', [notice('a'), notice('b')])
    const failed = unsent && afterFailure(unsent, 'it hung up', NOW)
    const left = failed && afterSent(failed)
    expect(left).toMatchObject({ notices: [{ key: 'b' }], tries: 0, nextAt: 0, since: null, why: null })
    expect(left && afterSent(left)).toBeNull()
  })

  test('when more than a hundred wait, then the oldest give way, and are counted', () => {
    const all = Array.from({ length: 130 }, (_, n) => notice(`${n}`))
    const [unsent] = withNotices(withNotices([], 'mail', all.slice(0, 90)), 'mail', all.slice(90))
    expect([unsent?.notices.length, unsent?.notices[0], unsent?.dropped]).toEqual([100, { key: '30' }, 30])
  })

  test('when a recipient failed while the clock was days ahead, then it is tried at once when that is put back', () => {
    const [unsent] = withNotices([], 'mail', [notice('a')])
    const ahead = unsent && afterFailure(unsent, 'it hung up', NOW + 5 * 24 * 60 * MINUTE)
    expect(ahead && isDue(ahead, NOW)).toBe(true)
    const failed = unsent && afterFailure(unsent, 'it hung up', NOW)
    expect([0, 29, 30].map((after) => failed && isDue(failed, NOW + after * SECOND))).toEqual([false, false, true])
  })
})

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
