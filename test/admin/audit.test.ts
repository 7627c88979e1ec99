import { expect, test } from 'vitest'
import type { ActDetail, AuditRow, DeliveryDetail, EventDetail } from '../../src/storage/rows.ts'
import { asking, tillbridge } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { busTo, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

const BY_KARI = { 'x-operator': 'Kari' }

test('When people act, by filter or otherwise, then the audit and whatever they touched tell it, also what they were refused', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  sink.play({ status: 400 })
  for (const movementId of [1, 2, 3]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
  await eventually(async () =>
    expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(Array(3).fill('dead')),
  )
  await hub.admin('destinations/bus/pause', { reason: 'they move house' }, BY_KARI)

  const filter = { destination: 'bus', state: 'dead' }
  expect((await hub.admin('deliveries/skip', { filter }, BY_KARI)).body).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/^reason: say why/),
  })
  await hub.admin('deliveries/skip', { filter, dryRun: true }, BY_KARI)
  const skipped = await hub.admin<{ act: number }>('deliveries/skip', { filter, reason: 'test data' }, BY_KARI)
  await hub.admin('destinations/shpo/resume', {}, BY_KARI)
  await hub.admin('jobs/stors/run', {}, BY_KARI)

  const { act } = skipped.body
  const entry = { act, by: 'admin (says Kari)', action: 'skip', reason: 'test data', changed: 3 }
  expect((await hub.admin<DeliveryDetail>('deliveries/2')).body.audit).toMatchObject([entry])
  expect((await hub.admin<EventDetail>('events/2')).body.audit).toMatchObject([{ ...entry, delivery: 2 }])
  await eventually(async () =>
    expect(await actsOf(hub)).toMatchObject([
      { action: 'run-job', refused: expect.stringMatching(/no job "stors"/) },
      { action: 'resume', refused: expect.stringMatching(/^Config has no destination "shpo"\. /) },
      { id: act, action: 'skip', changed: 3, refused: null, selection: JSON.stringify(filter) },
      { action: 'skip', refused: expect.stringMatching(/^reason: /) },
      { action: 'pause', by: 'admin (says Kari)', reason: 'they move house', selection: '{"destination":"bus"}' },
    ]),
  )
  expect((await hub.admin<ActDetail>(`audit/${act}`)).body.deliveries.map(({ id }) => id)).toEqual([1, 2, 3])
  expect((await hub.admin('audit/x')).body.detail).toMatch(/an act has a whole number/)

  const run = asking(hub)
  const listed = await run('audit', 'list', '--by', 'admin', '--action', 'skip')
  expect(listed.out).toMatch(/^ *\d+ +\S+ \S+ +admin \(says Kari\) +skip +3 +.*test data$/m)
  expect(listed.out).not.toMatch(/pause/)
  const shown = await run('audit', 'show', String(act))
  expect(shown.out.match(/StockMovementCreated/g)).toHaveLength(3)
  expect((await run('deliveries', 'show', '2')).out).toMatch(/admin \(says Kari\) +skip +test data +one of 3$/m)
  const retried = await run('deliveries', 'retry', '--state', 'skipped', '--reason', 'they were none')
  expect(retried.out).toMatch(/^retry: 3 of 3 deliveries \(audit entry \d+\)\./)
  expect(retried.out).toMatch(/waiting/)
})

test('When an act is asked for part by part, then each goes on where the last one ended, and nobody goes on with another one', async () => {
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/') } })
  await hub.admin('destinations/bus/pause', {})
  for (const receiptNo of ['1', '2', '3']) await hub.post('SaleCreated', sale({ receiptNo }))
  const ask = (part: object, by = BY_KARI) =>
    hub.admin<{ act: number; next: number; changed: number }>(
      'deliveries/skip',
      { filter: { destination: 'bus' }, reason: 'a test', part },
      by,
    )
  const first = (await ask({ most: 2 })).body
  expect(first).toMatchObject({ matched: 3, changed: 2 })
  const stranger = await ask({ act: first.act, after: first.next, most: 2 }, { 'x-operator': 'Ola' })
  expect(stranger).toMatchObject({
    status: 400,
    body: { detail: `part.act: ${first.act} is no "skip" of admin (says Ola).` },
  })
  const second = (await ask({ act: first.act, after: first.next, most: 2 })).body
  expect(second).toMatchObject({ act: first.act, changed: 1, next: null })
  expect(await actsOf(hub)).toContainEqual(expect.objectContaining({ id: first.act, changed: 3 }))
})

async function actsOf(hub: TestHub): Promise<AuditRow[]> {
  return (await hub.admin<{ acts: AuditRow[] }>('audit')).body.acts
}

const KARI = 'token-of-kari-in-the-tests'

test('the audit names the holder of the token, whoever the client says to be', async () => {
  await using hub = await startTestHub({
    config: { server: { admins: { kari: KARI } } },
    destinations: { bus: { adapter: 'http', url: 'http://127.0.0.1:9', publish: 'all' } },
  })
  const as = { authorization: `Bearer ${KARI}`, 'x-operator': 'innocent colleague' }
  expect((await hub.admin('destinations/bus/pause', { reason: 'a test' }, as)).status).toBe(204)
  expect((await hub.admin('destinations/bus/resume', {}, { authorization: `Bearer ${KARI}` })).status).toBe(204)
  await hub.admin('destinations/bus/pause', {}, { 'x-operator': 'kari' })
  const acts = async (by?: string) =>
    (await hub.admin<{ acts: AuditRow[] }>(`audit${by === undefined ? '' : `?by=${by}`}`)).body.acts.map(
      (act) => act.by,
    )
  expect(await acts()).toEqual(['admin (says kari)', 'kari', 'kari (says innocent colleague)'])
  expect(await acts('kari')).toEqual(['kari', 'kari (says innocent colleague)'])
  expect(await acts('k_ri')).toEqual([])
  expect(await acts('admin')).toEqual(['admin (says kari)'])
})

test('a token of nobody is refused, with the interface in status, and the command says so', async () => {
  await using hub = await startTestHub({ config: { server: { admins: { kari: KARI } } } })
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: KARI }
  expect(await tillbridge(['status'], env)).toMatchObject({ code: 0 })
  const refused = await tillbridge(['status'], { ...env, TILLBRIDGE_ADMIN_TOKEN: 'token-of-a-stranger' })
  expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/TILLBRIDGE_ADMIN_TOKEN/) })
  await hub.post('SaleCreated', {}, { token: 'wrong' })
  const { out } = await tillbridge(['status'], env)
  expect(out).toContain('Refused since the start: 2 wrong-token (at /admin 1, /webhooks 1)')
})

test.each([
  [{ kari: KARI, ola: KARI }, 'that of kari'],
  [{ admin: KARI }, 'another name'],
  [{ 'a (says b)': KARI }, 'a name of at most 40'],
])('admins that could be mistaken for each other are refused: %j', async (admins, words) => {
  await expect(startTestHub({ config: { server: { admins } } })).rejects.toThrow(words)
})
