import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { expectOneEffect, expectOneOrder, open, openStoreWithProcess } from './killed-kit.ts'

const points = [
  { name: 'while the shop cannot be reached', at: null },
  { name: 'before the shop has saved the order', at: 'start' },
  { name: 'when the shop has saved the order', at: 'saved' },
  { name: 'when only the answer is missing', at: 'answer' },
] as const

test.each(points)('When the hub is killed $name, then the shop has one order, paid', ({ at }) => expectOneOrder(at))

const deeds = (['collect', 'decline', 'return'] as const).flatMap((entry) =>
  (['start', 'saved', 'answer'] as const).map((at) => ({ entry, at })),
)

test.each(deeds)('When the hub is killed in $deed, at $at of a request, then that has happened once', ({ entry, at }) =>
  expectOneEffect(entry, at),
)

test('When the hub is killed while a mail is on its way, then the customer has it, and a copy has the same Message-ID', async () => {
  await using storage = await openStoreWithProcess()
  const { platform, hub, mailbox } = storage
  for (let customer = 0; customer < 20; customer++) platform.pos.sendReceipt({ channel: 'Email' })
  await eventually(() => mailbox.mails().length > 3)
  await hub.killAndRestart()
  await platform.settled()
  await hub.admin('jobs/resend-failed/run', {})
  await platform.settled()
  await eventually(async () => (await open(hub)) === 0, 30_000)
  expect(new Set(mailbox.mails().map(({ messageId }) => messageId)).size).toBe(20)
  expect(mailbox.mails().length).toBeLessThanOrEqual(20 + 4)
}, 60_000)
