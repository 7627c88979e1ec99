import { expect, test } from 'vitest'
import { startMailbox } from '../../sandbox/mailbox/mailbox.ts'
import { toldBy } from '../admin/health-kit.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { busTo, type Given, startTestHub, type TestHub } from '../hub.ts'
import { logged, saleNo } from '../queue/kit/kit.ts'
import { startSink } from '../sink.ts'
import { asOwner, connect, NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'

/* Hubs that share a store agree on what was told. */

const MINUTE = 60_000

const look = (hub: TestHub) => hub.admin('jobs/alarms/run', {})

const saidBy = (hubs: readonly TestHub[], line: string) => hubs.flatMap((hub) => logged(hub, line))

/** The server's clock is so far ahead from now on: hubs take it when they start. */
const timePasses = (schema: string, ms: number) =>
  asOwner(`create or replace function ${schema}.now_ms() returns bigint language sql stable as
    $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint + ${ms} $$`)

test.skipIf(SERVER === undefined)(
  `When two hubs share a store, then an alarm is told once, and once that it is over, whichever of them looks and however often (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
  async () => {
    await using schema = await temporarySchema()
    await using mailbox = await startMailbox()
    await using pager = await startSink()
    await using bus = await startSink()
    bus.play({ status: 400 })
    const given: Given = {
      destinations: {
        mail: { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Hub <hub@example.com>' },
        pager: { adapter: 'http', url: pager.url },
        bus: busTo(bus.url),
      },
      config: { store: { url: schema.url }, alarms: { to: { mail: { recipients: ['ops@example.com'] }, pager: {} } } },
    }
    {
      await using one = await startTestHub(given)
      await using two = await startTestHub(given)
      const hubs = [one, two]
      await one.post('SaleCreated', sale())
      await eventually(async () => expect(await two.hub.storage.deliveries({ state: 'dead' })).toHaveLength(1))

      for (let turn = 0; turn < 3; turn += 1) await Promise.all(hubs.map(look))
      expect(saidBy(hubs, 'alarm.began')).toMatchObject([{ rule: 'deliveries-dead', things: ['queue bus prompt'] }])
      expect(mailbox.mails()).toHaveLength(1)
      expect(pager.received.map(({ kind }) => kind)).toEqual(['AlarmBegan'])
      for (const hub of hubs)
        expect((await hub.admin<{ alarms: { rule: string }[] }>('health')).body.alarms).toMatchObject([
          { rule: 'deliveries-dead' },
        ])

      // It is repaired at the one, and met by the other: found to be well, it is over at the next look.
      await one.admin('deliveries/skip', { filter: { state: 'dead' }, reason: 'a test order' })
      for (let turn = 0; turn < 2; turn += 1) await Promise.all(hubs.map(look))
      await eventually(() => expect(pager.received.map(({ kind }) => kind)).toEqual(['AlarmBegan', 'AlarmOver']))
      expect(saidBy(hubs, 'alarm.over')).toMatchObject([{ rule: 'deliveries-dead', things: ['queue bus prompt'] }])
    }

    await timePasses(schema.name, 3 * MINUTE)
    const everyMinute = { ...given, config: { ...given.config, jobs: { alarms: '* * * * *' } } }
    await using three = await startTestHub(everyMinute)
    await using four = await startTestHub(everyMinute)
    const hubs = [three, four]
    // Both have missed minutes, and make up for them; an operator asks besides. Nothing is told again.
    for (let turn = 0; turn < 4; turn += 1) await Promise.all(hubs.map(look))

    expect(saidBy(hubs, 'alarm.over')).toEqual([])
    expect(saidBy(hubs, 'alarm.began')).toEqual([])
    expect(mailbox.mails().map(({ subject }) => subject.replace(/^\S+ \S+ /, ''))).toEqual([
      'ALARM deliveries-dead: queue bus prompt',
      expect.stringMatching(/^over: deliveries-dead: queue bus prompt, after \d+ (s|min)$/),
    ])
    expect(pager.received).toHaveLength(2)
  },
  60_000,
)

test.skipIf(SERVER === undefined)(
  `When one hub is still telling somebody who is slow, then another that looks meanwhile does not tell it again (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
  async () => {
    await using schema = await temporarySchema()
    await using pager = await startSink()
    await using bus = await startSink()
    bus.play({ status: 400 })
    pager.play('hang')
    const given: Given = {
      destinations: { pager: { adapter: 'http', url: pager.url }, bus: busTo(bus.url) },
      config: { store: { url: schema.url }, alarms: { to: { pager: {} } } },
    }
    await using one = await startTestHub(given)
    await using two = await startTestHub(given)
    await one.post('SaleCreated', sale())
    await eventually(async () => expect(await one.hub.storage.deliveries({ state: 'dead' })).toHaveLength(1))
    const telling = look(one)
    await pager.until(1)
    const meanwhile = await look(two)
    expect(meanwhile.body.detail).toContain('Another hub has been running "alarms"')
    expect(pager.received).toHaveLength(1)
    pager.letGo()
    pager.play({ status: 200 })
    await telling
    await look(two)
    expect(saidBy([one, two], 'alarm.sent')).toHaveLength(1)
    expect(pager.received.map(({ kind }) => kind)).toEqual(['AlarmBegan'])
  },
  60_000,
)

test.skipIf(SERVER === undefined)(
  `When another server takes the place of the one of before, whose clock is two hours behind, while a destination is down, then what waits goes out as soon as it is back, and status says of whose clock it is (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await temporarySchema()
    await using sink = await startSink()
    await using hub = await startTestHub({
      destinations: { bus: busTo(sink.url) },
      config: { store: { url: schema.url } },
    })
    await sink.refuse()
    for (const no of [1, 2, 3]) await hub.post('SaleCreated', saleNo(no))
    await eventually(() => expect(hub.lines.map(({ msg }) => msg)).toContain('destination.outage'))
    await using server = await connect(schema.name)
    await server.ask(`create or replace function ${schema.name}.now_ms() returns bigint language sql stable as
      $$ select floor(extract(epoch from statement_timestamp()) * 1000)::bigint - 7200000 $$`)
    await sink.open()
    expect(await sink.until(3, 40_000)).toHaveLength(3)
    await eventually(async () => {
      const means = (await toldBy(hub)).map((item) => item.means)
      expect(means.join()).toContain("The database server's clock went 7,200 s back")
    }, 20_000)
  },
)
