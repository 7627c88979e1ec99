import { expect, test, vi } from 'vitest'
import { ADMIN_TOKEN, startTestHub, type TestHub } from '../hub.ts'
import { tillbridge } from './run.ts'

const asking =
  ({ url }: TestHub) =>
  (...args: string[]) =>
    tillbridge(args, { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })

test('When a person asks what would go, then a plan says so; holds are listed, and need a reason', async () => {
  await using hub = await startTestHub()
  const ask = asking(hub)
  const { body } = await hub.post('SaleCreated', { receiptNo: '77001' })
  const plan = await ask('retention', 'plan')
  expect(plan).toMatchObject({ code: 0, err: '' })
  expect(plan.out).toContain('Nothing is old enough to be pruned.')
  expect(plan.out).toMatch(/The disk has \d+ MB left/)
  expect(JSON.parse((await ask('retention', 'run', '--dry-run', '--json')).out)).toMatchObject({ goes: [], off: false })
  expect((await ask('retention', 'run')).out).toMatch(/^retention: pruned 0 events/)
  expect((await ask('retention', 'hold', '--reason', 'x')).err).toContain('--find <words>')
  expect(await ask('retention', 'hold', String(body.id))).toMatchObject({ code: 2 })
  const held = await ask('retention', 'hold', '--find', '77001', '--reason', 'the auditor asked')
  expect(held.out).toMatch(/^hold: 1 event \(audit entry \d+\)\.$/m)
  expect((await ask('retention', 'holds')).out).toMatch(new RegExp(`^ *${body.id} .*the auditor asked$`, 'm'))
  expect((await ask('retention', 'unhold', String(body.id), '--reason', 'done')).out).toContain('unhold: 1 event')
  expect((await ask('retention', 'holds')).out).toContain('Nothing is under a legal hold.')
})

test('When a hold names an event that is not here, then nothing is held, and who typed it is told which', async () => {
  await using hub = await startTestHub()
  const ask = asking(hub)
  const id = String((await hub.post('SaleCreated', { receiptNo: '77001' })).body.id)
  const why = ['--reason', 'the auditor asked']

  for (const verb of ['hold', 'unhold'])
    expect(await ask('retention', verb, id, id, '999', '1000', ...why)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^events: there are none with these ids: 999, 1000\. Nothing was changed/),
    })
  expect((await ask('retention', 'holds')).out).toContain('Nothing is under a legal hold.')
  expect(await ask('retention', 'hold', '--find', 'nowhere', ...why)).toMatchObject({
    code: 2,
    err: 'No event says nowhere. An event that is meant by its number is named without --find.\n',
  })

  const free = await ask('retention', 'unhold', id, ...why)
  expect([free.code, free.out]).toEqual([
    2,
    expect.stringMatching(/^unhold: 0 events .*\nNot under a legal hold: 1\.$/m),
  ])
  expect(await ask('retention', 'hold', id, id, ...why)).toMatchObject({ code: 0 })
  const again = await ask('retention', 'hold', id, '--dry-run')
  expect([again.code, again.out]).toEqual([
    2,
    'hold would touch 0 events. Nothing was changed.\nUnder a legal hold already: 1.\n',
  ])
})

test('When --find names a number that another event has as its id, then only what says it is held, and let go', async () => {
  await using hub = await startTestHub()
  const ask = asking(hub)
  for (let receipt = 501; receipt <= 510; receipt++) await hub.post('SaleCreated', { receiptNo: String(receipt) })
  const saying = (await hub.post('SaleCreated', { receiptNo: '10' })).body.id
  const why = ['--reason', 'the auditor asked']
  expect((await ask('retention', 'hold', '--find', '10', ...why)).out).toContain('hold: 1 event')
  expect((await ask('retention', 'holds')).out).toMatch(/^ *11 .*the auditor asked$/m)
  expect(saying).toBe(11)
  await ask('retention', 'hold', '10', '--reason', 'the police asked')
  expect((await ask('retention', 'unhold', '--find', '10', ...why)).out).toContain('unhold: 1 event')
  const left = (await ask('retention', 'holds')).out
  expect(left).toMatch(/^ *10 .*the police asked$/m)
  expect(left).not.toContain('the auditor asked')
  expect(await ask('retention', 'hold', '--find', '08', ...why)).toMatchObject({
    code: 2,
    err: 'No event says 08. An event that is meant by its number is named without --find.\n',
  })
})

test('When the index of what events say is behind, then nothing is held by --find: it would miss some', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', { receiptNo: '77001' })
  const reach = vi.spyOn(hub.hub.storage, 'searchReach').mockResolvedValue({ upTo: 0, until: null, behind: 1 })
  expect(await asking(hub)('retention', 'hold', '--find', '77001', '--reason', 'x')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^"find" does not know 1 event yet/),
  })
  reach.mockRestore()
  expect((await asking(hub)('retention', 'holds')).out).toContain('Nothing is under a legal hold.')
})

test('When webhooks come all the time, then what had come when it was asked is held by --find', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', { receiptNo: '77001' })
  const { storage } = hub.hub
  const find = storage.find.bind(storage)
  let next = 88_001
  vi.spyOn(storage, 'find').mockImplementation(async (...asked) => {
    await hub.post('SaleCreated', { receiptNo: String(next++) })
    return await find(...asked)
  })
  const { out } = await asking(hub)('find', '77001')
  expect(out).not.toContain('not in the index')
  expect(await asking(hub)('retention', 'hold', '--find', '77001', '--reason', 'x')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^hold: 1 event /),
  })
})
