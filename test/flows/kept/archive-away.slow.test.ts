import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noSshd } from '../../../packages/tillbridge-adapter-files/test/sshd.ts'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { Doctored } from '../../../src/admin/health.ts'
import type { JobStatus } from '../../../src/domain/health/health.ts'
import type { FoundPerson } from '../../../src/privacy/report.ts'
import type { EventDetail } from '../../../src/storage/rows.ts'
import { openPlace, PLACES } from '../../archive/kit.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'

const DAY = 24 * 3_600_000
const OLA = { customerId: 77, email: 'ola.nordmann@example.com', firstName: 'Ola', lastName: 'Nordmann' }

const runOf = (hub: TestHub) => async () => (await hub.admin<JobStatus>('jobs/retention/run', {})).body
const bodyOf = async (hub: TestHub, id: number) => (await hub.admin<EventDetail>(`events/${id}`)).body.body
const find = async (hub: TestHub) => (await hub.admin<FoundPerson>('people/find', { who: OLA.email })).body

/** A sale of Ola that nobody wants any more. */
async function oldSale(hub: TestHub, receiptNo: string): Promise<number> {
  const { body } = await hub.post('SaleCreated', sale({ receiptNo, customer: { ...OLA, customerExtId: '' } }))
  await hub.admin('events/dismiss', { filter: { id: body.id }, reason: 'x' })
  return body.id
}

const archiveOf = async (hub: TestHub) =>
  (await hub.admin<Doctored>('doctor')).body.systems.find(({ destination }) => destination === 'archive')?.found

describe.skipIf(noSshd)('a server that has the archive', () => {
  test('When it does not answer, then what it should keep stays, all else goes on, and everybody is told; when it is back, all is made up for', async () => {
    await using place = await openPlace('sftp')
    const clock = createTestClock()
    const retention = { audit: '1d', archive: place.options }
    await using hub = await startTestHub({ clock, config: { retention } })
    const run = runOf(hub)
    const first = await oldSale(hub, '77001')
    clock.advance(91 * DAY)
    expect((await run()).problem).toBeNull()
    const second = await oldSale(hub, '77002')
    clock.advance(91 * DAY)
    await place.server?.stop()

    const { problem } = await run()
    expect(problem).toContain(`The archive ${place.where} cannot be reached: ECONNREFUSED.`)
    expect(problem).toContain('Events and their payloads stay until they are archived; all else was pruned')
    expect(await bodyOf(hub, second)).not.toBeNull()
    const acts = await asking(hub)('audit', 'list', '--action', 'dismiss')
    expect(acts.out).not.toContain('dismiss ')
    expect((await hub.post('SaleCreated', sale({ receiptNo: '77003' }))).status).toBe(202)

    expect((await asking(hub)('retention', 'plan')).out).toContain('What of the archive has expired is not known. The')
    expect(await archiveOf(hub)).toMatchObject([{ state: 'problem', says: expect.stringContaining('ECONNREFUSED') }])
    expect((await asking(hub)('people', 'find', OLA.email)).out).toContain(`Not looked through: ${place.where}.`)
    const refused = await hub.admin<{ detail: string }>('people/erase', { who: OLA.email, reason: 'asked' })
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining('nothing was erased') } })
    expect((await find(hub)).events).toBe(2)
    expect((await place.ask(['archive', 'search', '77001'])).err).toContain('cannot be reached')
    expect((await place.ask(['archive', 'restore', String(first)])).err).toContain('cannot be reached')

    await place.server?.start()
    expect((await run()).problem).toBeNull()
    expect(await bodyOf(hub, second)).toBeNull()
    expect((await find(hub)).files).toMatchObject({ unread: [], archived: [{ file: expect.any(String) }, {}] })
    const erased = await hub.admin<ErasedPerson>('people/erase', { who: OLA.email, reason: 'asked' })
    expect(erased.body.files.archived).toHaveLength(2)
    expect(await archiveOf(hub)).toMatchObject([{ state: 'ok' }, { state: 'ok' }, { state: 'ok' }])
  })

  test('When it shows another host key, or takes no key of ours, then nothing is sent, nothing goes, and no secret is shown', async () => {
    await using place = await openPlace('sftp')
    const clock = createTestClock()
    const password = 'correct horse battery'
    const [stranger, closed] = [{ hostKey: `SHA256:${'A'.repeat(43)}` }, { privateKey: undefined, password }]
    for (const given of [stranger, closed]) {
      const sftp = { ...place.options.sftp, ...given } as NonNullable<typeof place.options.sftp>
      await using hub = await startTestHub({ clock, config: { retention: { archive: { sftp } } } })
      const id = await oldSale(hub, '77001')
      clock.advance(91 * DAY)
      expect((await runOf(hub)()).problem).toMatch(
        /shows the host key SHA256:|refuses the user, the password or the key/,
      )
      expect(await bodyOf(hub, id)).not.toBeNull()
      expect(await archiveOf(hub)).toMatchObject([{ state: 'problem' }])
      expect(JSON.stringify(hub.lines)).not.toContain(password)
      expect(JSON.stringify(hub.lines)).not.toContain('PRIVATE KEY')
    }
    expect(place.others()).toEqual([])
  })

  test('When one of its files cannot be read, then that one is told, and the others are looked through', async () => {
    await using place = await openPlace('sftp')
    const clock = createTestClock()
    await using hub = await startTestHub({ clock, config: { retention: { archive: place.options } } })
    for (const receiptNo of ['1', '2']) {
      await oldSale(hub, receiptNo)
      clock.advance(91 * DAY)
      await runOf(hub)()
    }
    const [one, other] = place.files().map((file) => `${place.where}/${file}`)
    rmSync(join(place.path, place.files()[0] ?? ''))
    mkdirSync(join(place.path, one?.slice(place.where.length) ?? ''))

    expect((await find(hub)).files).toMatchObject({ unread: [one], archived: [{ file: other }] })
  })
})

for (const sort of PLACES)
  test(`When an archive that had files is empty (${sort}), then it is not taken for one before its first file`, async () => {
    await using place = await openPlace(sort)
    const clock = createTestClock()
    await using hub = await startTestHub({ clock, config: { retention: { archive: place.options } } })
    const run = runOf(hub)
    expect(await archiveOf(hub)).toMatchObject(
      sort === 'sftp'
        ? [{}, {}, { state: 'note', says: expect.stringContaining('not there yet') }]
        : [{ state: 'note' }],
    )
    await oldSale(hub, '1')
    clock.advance(91 * DAY)
    expect((await run()).problem).toBeNull()
    const id = await oldSale(hub, '2')
    clock.advance(91 * DAY)
    renameSync(place.path, `${place.path}-away`)
    mkdirSync(place.path)

    expect((await run()).problem).toContain('has no manifest, and had one')
    expect(await bodyOf(hub, id)).not.toBeNull()
    expect((await find(hub)).files.unread).toEqual([place.where])
    expect(await archiveOf(hub)).toMatchObject([{ state: 'problem' }])

    rmSync(place.path, { recursive: true })
    renameSync(`${place.path}-away`, place.path)
    expect((await run()).problem).toBeNull()
    expect((await find(hub)).files.archived).toHaveLength(2)
  })
