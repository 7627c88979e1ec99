import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JobStatus } from '../../../src/domain/health/health.ts'
import type { EventDetail } from '../../../src/storage/rows.ts'
import { openPlace, PLACES } from '../../archive/kit.ts'
import { createTestClock } from '../../clock.ts'
import { startTestHub, type TestHub } from '../../hub.ts'

const DAY = 24 * 3_600_000

const runOf = (hub: TestHub) => async () => (await hub.admin<JobStatus>('jobs/retention/run', {})).body
const bodyOf = async (hub: TestHub, id: number) => (await hub.admin<EventDetail>(`events/${id}`)).body.body

/** A hub with an archive, and an event of it whose payload has had its time. */
async function openAged({ options }: Awaited<ReturnType<typeof openPlace>>) {
  const clock = createTestClock()
  const hub = await startTestHub({ clock, config: { retention: { archive: options } } })
  const { body: taken } = await hub.post('SaleCreated', { receiptNo: '77001' })
  await hub.admin('events/dismiss', { filter: { id: taken.id }, reason: 'x' })
  clock.advance(91 * DAY)
  return { hub, taken, run: runOf(hub), [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() }
}

describe.each(PLACES)('an archive (%s)', (sort) => {
  test('When config names it, then what goes lies there first, is found there, and is read only as it was written', async () => {
    await using place = await openPlace(sort)
    const ask = (...args: string[]) => place.ask(args)
    const clock = createTestClock()
    await using hub = await startTestHub({ clock, config: { retention: { archive: place.options } } })
    const run = runOf(hub)
    // Signs that turn text around, or that a terminal obeys, are part of what was sent.
    const sent = JSON.stringify({
      receiptNo: '77001',
      customer: { name: '\u202bשרה\u200f\u2028\u009b', email: 'ola@example.com' },
    })
    const { body: taken } = await hub.post('SaleCreated', sent)
    const noText = Buffer.from([0x7b, 0xff, 0xfe])
    const { body: broken } = await hub.post('SaleCreated', noText)
    await hub.admin('events/dismiss', { filter: { id: taken.id }, reason: 'x' })
    clock.advance(91 * DAY)
    expect((await ask('archive', 'search', '77001')).err).toContain(`There is no archive in ${place.where} yet`)

    expect((await run()).problem).toBeNull()
    expect(await bodyOf(hub, taken.id)).toBeNull()
    expect((await ask('archive', 'search', '77001')).out).toMatch(new RegExp(`^ *${taken.id} +SaleCreated `, 'm'))
    expect((await ask('archive', 'search', 'OLA@example.com', '77001', '--json')).out).toContain(`"event": ${taken.id}`)
    expect((await ask('archive', 'search', 'none')).out).toContain('none that says so')
    const restored = JSON.parse((await ask('archive', 'restore', String(taken.id))).out)
    expect(restored).toMatchObject({ id: taken.id, kind: 'SaleCreated' })
    expect(restored.body).toBe(sent)
    expect((await ask('archive', 'restore', '4711')).err).toContain('The archive has no event 4711')

    // What had to stay then is archived when it goes.
    await hub.admin('events/dismiss', { filter: { id: broken.id }, reason: 'x' })
    expect((await run()).problem).toBeNull()
    expect(place.lines().map(({ first }) => first)).toEqual([taken.id, broken.id])
    expect(place.lines().map(({ file }) => file)).toEqual(place.files())
    const quarantined = JSON.parse((await ask('archive', 'restore', String(broken.id))).out)
    expect(quarantined).toMatchObject({ body: null, bodyBase64: noText.toString('base64') })

    const { file = '' } = place.lines()[0] ?? {}
    writeFileSync(join(place.path, file), 'something else')
    expect((await ask('archive', 'restore', file)).err).toContain('is not what was written')
    rmSync(join(place.path, file))
    expect((await ask('archive', 'restore', file)).err).toContain(`${file} is not in the archive`)
  })

  test('When a file stands where it should be, or a share that is not mounted, then nothing that it should keep goes, and it is not taken for one without events', async () => {
    await using place = await openPlace(sort)
    await using aged = await openAged(place)
    const { hub, taken, run } = aged

    writeFileSync(place.path, 'no folder')
    expect((await run()).problem).toMatch(/^The archive .+ is no folder\. Events and their payloads stay/)
    expect((await place.ask(['archive', 'search', '77001'])).err).toMatch(/The archive .+ is no folder/)
    expect((await hub.admin('retention/plan')).body).toMatchObject({ archive: { problem: expect.any(String) } })
    expect(await bodyOf(hub, taken.id)).not.toBeNull()
    rmSync(place.path)

    const above = join(place.path, '..')
    renameSync(above, `${above}-away`)
    expect((await run()).problem).toMatch(/cannot be made: the folder above it is not there/)
    expect(await bodyOf(hub, taken.id)).not.toBeNull()
    renameSync(`${above}-away`, above)

    expect((await run()).problem).toBeNull()
    expect(await bodyOf(hub, taken.id)).toBeNull()
    expect(place.lines()).toHaveLength(1)
  })

  test('When a run was cut off, then the next one takes away what it has left, and nothing else', async () => {
    await using place = await openPlace(sort)
    await using aged = await openAged(place)
    const { taken, run } = aged
    mkdirSync(join(place.path, 'SaleCreated/2026-08'), { recursive: true })
    mkdirSync(join(place.path, 'manifest'))
    const left = 'SaleCreated/2026-08/1-9.0badcafe.ndjson.zst'
    writeFileSync(join(place.path, left), 'half of it')
    const line = {
      file: left,
      sha256: '',
      kind: 'SaleCreated',
      month: '2026-08',
      first: 1,
      last: 9,
      events: 9,
      bytes: 9,
    }
    const page = `${JSON.stringify(line)}\n{"file":"SaleCr`
    writeFileSync(join(place.path, 'manifest/2026-08.0badcafe.ndjson.part'), page)
    writeFileSync(join(place.path, 'manifest/2026-08.0badbeef.ndjson.new'), page)

    expect((await run()).problem).toBeNull()
    expect(place.files()).toEqual(place.lines().map(({ file }) => file))
    expect(place.others()).toHaveLength(1)
    expect((await place.ask(['archive', 'restore', String(taken.id)])).out).toContain('77001')
  })
})
