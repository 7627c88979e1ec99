import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/data-subjects.ts'
import { backUp } from '../../../../src/storage/backup.ts'
import { asking } from '../../../cli/run.ts'
import { eventually } from '../../../eventually.ts'
import { customer } from '../../../fixtures/payloads.ts'
import { deliveriesOf, keptIn, startTestHub } from '../../../hub.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../../storage/postgres/schema.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES, erase, kariBuysForZeb, runSql, ZEB } from '../zeb.ts'

test('When the answer of an erasure was lost, then the same command gives its proof, until they are news', async () => {
  await using hub = await aHubThatKnowsZeb()
  const first = (await erase(hub)).body
  expect(first.proof).not.toBeNull()

  const file = join(hub.folder, 'proof.json')
  const again = await asking(hub)('people', 'erase', ZEB.email, '--reason', 'asked', '--proof-to', file)
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining(`audit entry ${first.act}`) })
  expect((await erase(hub)).body).toEqual(first)
  expect(await erase(hub, ZEB.email, { dryRun: true })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('no data of this person is indexed') },
  })
  expect(bytesWith(hub)).toEqual([])

  await hub.post('CustomerUpdated', customer({ ...ZEB, city: 'Kanariby' }), { eventId: 'Z-9' })
  await eventually(async () => expect((await deliveriesOf(hub))[0]?.state).toBe('delivered'))
  const news = (await erase(hub)).body
  expect(news.act).not.toBe(first.act)
  expect(news.proof?.events).toBe(1)
  expect(bytesWith(hub)).toEqual([])
})

test('When the same erasure is asked for while it is done, then it is done once, and both have its proof', async () => {
  await using hub = await aHubThatKnowsZeb()
  const [one, other] = await Promise.all([erase(hub), erase(hub)])
  expect(one?.body.proof).not.toBeNull()
  expect(other?.body).toEqual(one?.body)
})

test.skipIf(SERVER === undefined)(
  `When another hub on the same PostgreSQL (${NO_SERVER} otherwise) is asked again, then it says where the proof and the end of it are`,
  async () => {
    await using schema = await temporarySchema()
    await using one = await aHubThatKnowsZeb({ store: { url: schema.url } })
    await using other = await startTestHub({ config: { store: { url: schema.url } } })
    let first: ErasedPerson | undefined
    await eventually(async () => {
      const { status, body } = await erase(one)
      expect(status).toBe(200)
      first = body
    })
    const again = await asking(other)('people', 'erase', ZEB.email, '--reason', 'asked')
    expect(again).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no data of this person is indexed.*audit list.*the hub that did it/s),
    })
    const { out } = await asking(other)('audit', 'list', '--action', 'people erase')
    expect(out).toContain(first?.proof?.pseudonym)
    expect((await erase(one)).body.proof).toEqual(first?.proof)
  },
)

test('When no hub answers an erasure, then the command says how the proof is had', async () => {
  await using hub = await aHubThatKnowsZeb()
  await hub.hub[Symbol.asyncDispose]()
  const { code, err } = await asking(hub)('people', 'erase', ZEB.email, '--reason', 'asked')
  expect(code).not.toBe(0)
  expect(err).toMatch(/say the same command again, and it gives the proof/)
})

test('When a backup is of the middle of an erasure, then the proof uses what that had learnt, and nothing of it stays', async () => {
  await using hub = await aHubThatKnowsZeb()
  const id = await kariBuysForZeb(hub)
  const cut = `create trigger cut before update on payloads when old.event_id = ${id} begin select raise(abort, 'full'); end`
  runSql(hub.file, cut)
  expect((await erase(hub)).status).toBeGreaterThanOrEqual(500)
  runSql(hub.file, 'drop trigger cut')
  const copy = join(hub.folder, 'backup.db')
  await backUp(hub.config.store.url, copy)
  const { proof } = (await erase(hub)).body
  const file = join(hub.folder, 'proof.json')
  writeFileSync(file, JSON.stringify(proof))

  // As if it had been cut off a moment later: nothing is found by the person any more.
  runSql(copy, 'delete from search_keys')
  await using restored = await startTestHub({ folder: hub.folder, config: { store: { url: `file:${copy}` } } })
  expect(bytesWith(restored, ['41239876', '"sealed":"'])).not.toEqual([])
  const again = await asking(restored)('people', 'erase', '--proof', file, '--reason', 'restored', '--skip-open')
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('nothing of the person found') })
  expect(bytesWith(restored, [...CANARIES, '"sealed":"'])).toEqual([])
  expect(String(keptIn(restored).find((kept) => kept.id === id)?.body)).toMatch(/kari@example\.com/)
})
