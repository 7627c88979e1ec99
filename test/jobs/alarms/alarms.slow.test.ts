import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import type { HealthReport } from '../../../src/admin/health.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { sale } from '../../fixtures/payloads.ts'
import { busTo, createFolder, type Given, startTestHub, type TestHub } from '../../hub.ts'
import { logged } from '../../queue/kit/kit.ts'
import { startSink } from '../../sink.ts'

const MINUTE = 60_000

function mailTo({ smtpUrl }: Pick<Mailbox, 'smtpUrl'>) {
  return { adapter: 'smtp', url: smtpUrl, from: 'Hub <hub@example.com>' } as const
}

const look = (hub: TestHub) => hub.admin('jobs/alarms/run', {})

/** A hub that tells a mailbox and a pager. */
function given(mailbox: Mailbox, pager: { url: string }, more: Given = {}): Given {
  return {
    ...more,
    destinations: { mail: mailTo(mailbox), pager: { adapter: 'http', url: pager.url }, ...more.destinations },
    config: {
      ...more.config,
      alarms: { to: { mail: { recipients: ['ops@example.com'] }, pager: { least: 'alarm' } } },
    },
  }
}

test('When a delivery dies, then the log, a mail and a webhook say so once, through a restart, and once that it is over', async () => {
  await using mailbox = await startMailbox()
  await using pager = await startSink()
  await using bus = await startSink()
  await using folder = await createFolder()
  bus.play({ status: 400 })
  const clock = createTestClock()
  const all = given(mailbox, pager, { clock, folder: folder.path, destinations: { bus: busTo(bus.url) } })
  {
    await using hub = await startTestHub(all)
    await hub.post('SaleCreated', sale())
    await eventually(async () => expect(await hub.hub.storage.deliveries({ state: 'dead' })).toHaveLength(1))

    await look(hub)
    await look(hub)

    expect(logged(hub, 'alarm.began')).toMatchObject([
      { level: 50, rule: 'deliveries-dead', severity: 'alarm', things: ['queue bus prompt'] },
    ])
    expect(mailbox.mails()).toMatchObject([
      { to: ['ops@example.com'], subject: expect.stringMatching(/ALARM deliveries-dead: queue bus prompt$/) },
    ])
    expect(mailbox.mails()[0]?.text).toContain('1 delivery is dead: refused for good, or failing for three days.')
    expect(pager.received.map(({ kind, body }) => [kind, JSON.parse(body)])).toMatchObject([
      ['AlarmBegan', { rule: 'deliveries-dead', change: 'began', things: [{ thing: 'queue bus prompt' }] }],
    ])
    const status = await asking(hub)('status')
    expect(status.out).toMatch(
      /^Alarms that stand:\nALARM deliveries-dead: queue bus prompt: Deliveries are dead: .* For \d+ s\.$/m,
    )
  }

  await using hub = await startTestHub(all)
  await look(hub)
  expect(logged(hub, 'alarm.began')).toEqual([])
  await hub.admin('deliveries/skip', { filter: { state: 'dead' }, reason: 'a test order' })
  await look(hub)
  clock.advance(3 * MINUTE)
  await look(hub)

  expect(logged(hub, 'alarm.over')).toMatchObject([{ rule: 'deliveries-dead', things: ['queue bus prompt'] }])
  expect(mailbox.mails().map(({ subject }) => subject.replace(/^\S+ \S+ /, ''))).toEqual([
    'ALARM deliveries-dead: queue bus prompt',
    expect.stringMatching(/^over: deliveries-dead: queue bus prompt, after \d+ (s|min)$/),
  ])
  expect(pager.received.map(({ kind }) => kind)).toEqual(['AlarmBegan', 'AlarmOver'])
  expect((await hub.admin<HealthReport>('health')).body.alarms).toEqual([])
})

test('When whoever is to be told is away, then status says since when, and it is told when it is back, others at once', async () => {
  await using mailbox = await startMailbox()
  await using pager = await startSink()
  await using bus = await startSink()
  bus.play({ status: 400 })
  await pager.refuse()
  const clock = createTestClock()
  await using hub = await startTestHub(given(mailbox, pager, { clock, destinations: { bus: busTo(bus.url) } }))
  await hub.post('SaleCreated', sale())
  await eventually(async () => expect(await hub.hub.storage.deliveries({ state: 'dead' })).toHaveLength(1))

  await look(hub)
  expect(mailbox.mails()).toHaveLength(1)
  const status = await asking(hub)('status')
  expect(status.out).toMatch(
    /^problem {2}alarm pager: 1 alarm could not be told to it: .*ECONNREFUSED.*\. For \d+ s\./m,
  )
  const list = await asking(hub)('alarms', 'list')
  // Whoever was woken is sent to where the way out of it stands.
  expect(list.out).toContain('What to do about each, "tillbridge status" says.')
  expect(status.out).toMatch(/^problem {2}queue bus prompt: .* To do: tillbridge deliveries list --state dead/m)
  expect(list.out).toMatch(/^pager could not be notified of 1 for \d+ s, next try in \d+ s: /m)

  // Not before its pause is over.
  await pager.open()
  await look(hub)
  expect(pager.received).toEqual([])
  clock.advance(MINUTE)
  await look(hub)
  expect(pager.received).toHaveLength(1)
  expect((await asking(hub)('status')).out).not.toContain('alarm pager')
})

test('When the store cannot write, then the hub says so all the same, and when it can again', async () => {
  await using mailbox = await startMailbox()
  await using pager = await startSink()
  const clock = createTestClock()
  await using hub = await startTestHub(given(mailbox, pager, { clock }))
  const other = new Database(hub.file)
  other.exec('begin exclusive')
  /** Time passes until it is said; then everybody is told, which no time that passes cuts short. */
  const untilSaid = async (line: string) => {
    await eventually(async () => {
      clock.advance(30_000)
      await eventually(() => expect(logged(hub, line)).toHaveLength(1), 500)
    })
    await eventually(() =>
      expect(logged(hub, 'alarm.sent').length).toBe(
        2 * logged(hub, 'alarm.began').length + 2 * logged(hub, 'alarm.over').length,
      ),
    )
  }
  await untilSaid('alarm.began')
  expect(mailbox.mails().map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/PAGE store-cannot-write: store$/),
  ])
  expect(pager.received.map(({ kind }) => kind)).toEqual(['AlarmBegan'])

  other.close()
  await untilSaid('alarm.over')
  await eventually(() => expect(pager.received.map(({ kind }) => kind)).toEqual(['AlarmBegan', 'AlarmOver']))
  await eventually(() => expect(mailbox.mails()).toHaveLength(2))
  expect(mailbox.mails()[1]?.subject).toMatch(/over: store-cannot-write: store, after /)
})

test('When somebody wants to know whether alarms arrive, then each who is told gets a test, and the command says who did not', async () => {
  await using mailbox = await startMailbox()
  await using pager = await startSink()
  pager.play({ status: 401 })
  await using hub = await startTestHub(given(mailbox, pager))

  const run = asking(hub)
  const tested = await run('alarms', 'test')
  expect(tested.code).toBe(1)
  expect(tested.out).toMatch(/^mail +took it$/m)
  expect(tested.out).toMatch(/^pager +.*401/m)
  expect(mailbox.mails()).toMatchObject([
    { to: ['ops@example.com'], subject: expect.stringContaining('test of the alarms') },
  ])
  expect((await run('audit', 'list', '--action', 'test-alarms')).out).toContain('test-alarms')
  expect((await run('alarms', 'rules')).out).toMatch(/^deliveries-dead +alarm +at once +Deliveries are dead/m)
})

test.each([
  [{ none: {} }, 'alarms.to.none: expected a destination'],
  [{ texts: {} }, 'alarms.to.texts: expected a destination that can tell people something: smtp or http'],
  [{ mail: {} }, 'alarms.to.mail.recipients: expected who gets the mails'],
  [{ bus: { recipients: ['a@example.com'] } }, 'alarms.to.bus.recipients: expected none'],
  [{ dry: {} }, 'alarms.to.dry: expected a destination without dryRun'],
])('When config names who cannot be told (%j), then no hub starts with it', async (to, says) => {
  const destinations = {
    mail: mailTo({ smtpUrl: 'smtp://127.0.0.1:1' }),
    bus: busTo('http://127.0.0.1:1/'),
    dry: busTo('http://127.0.0.1:1/', { dryRun: true }),
    texts: { adapter: 'sms-http', url: 'http://127.0.0.1:1/', body: '{"to": "{{to}}", "text": "{{text}}"}' },
  }
  await expect(startTestHub({ destinations, config: { alarms: { to } } })).rejects.toThrow(says)
})
