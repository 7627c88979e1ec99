import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { writeEmptyStore } from '../../../empty-store.ts'
import { DELIVERED, SHOP } from '../../acting.ts'
import { owed } from '../../arrivals.ts'
import { temporaryFolder } from '../file.ts'
import { callsOf, openLanes } from './lanes-kit.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

const opened: Disposable[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]()
})

function open() {
  const the = openLanes(empty)
  opened.push(the)
  return the
}

const knownOf = async (the: ReturnType<typeof open>) =>
  (await the.claim()).calls.flat().map(({ delivery, unchanged, outdated, overtaken }) => ({
    id: delivery.id,
    unchanged,
    outdated,
    overtaken,
  }))

const NOTHING = { unchanged: false, outdated: false, overtaken: null }

test('When a claim needs nothing of the file, then the file is not asked', async () => {
  const the = open()
  await the.claim()
  await the.accept(the.about('a'))
  the.asked.length = 0
  expect(await knownOf(the)).toEqual([{ id: 1, ...NOTHING }])
  expect(the.asked).toEqual([])
})

test('When the destination has the same already, or something newer, then the claim says so, and each for itself', async () => {
  const the = open()
  await the.accept(the.about('a', { digest: 'd', version: 5 }), the.about('b', { digest: 'd', version: 5 }))
  await the.settle((await the.claim()).calls.flat(), DELIVERED)
  await the.accept(
    the.about('a', { digest: 'd', version: 6 }),
    the.about('b', { digest: 'e', version: 4 }),
    the.about('c', { digest: 'd', version: 4 }),
  )
  expect(await knownOf(the)).toEqual([
    { id: 3, ...NOTHING, unchanged: true },
    { id: 4, ...NOTHING, outdated: true },
    { id: 5, ...NOTHING },
  ])
})

test('When a fact overtook it, then the claim names the event that proved it, beside what else it knows', async () => {
  const the = open()
  await the.accept(the.about('a', { digest: 'd' }))
  await the.settle((await the.claim()).calls.flat(), DELIVERED)
  const [proof = 0] = await the.accept(the.arrival({ deliveries: [], proves: ['paid'] }))
  await the.accept(
    the.about('a', { digest: 'd', unless: ['sent', 'paid'] }),
    the.about('b', { unless: ['sent'] }),
    the.about('c', { unless: ['paid'] }),
  )
  expect(await knownOf(the)).toEqual([
    { id: 2, unchanged: true, outdated: false, overtaken: proof },
    { id: 3, ...NOTHING },
    { id: 4, ...NOTHING, overtaken: proof },
  ])
})

test('When bodies were given back, then each claim gets its own again; one that is not kept any more is empty', async () => {
  const the = open()
  const patient = (text: string) => the.arrival({ payload: { text }, deliveries: [owed({ yields: true })] })
  await the.accept(patient('one'), patient('two'), patient('three'))
  the.db.exec('delete from payloads where event_id = 2')
  const claims = (await the.claim()).calls.flat()
  expect(claims.map(({ event }) => Buffer.from(event.body).toString())).toEqual([
    '{"text":"one"}',
    '',
    '{"text":"three"}',
  ])
})

test('When a compared one was skipped behind its back, then it does not go out; a once one is told by its mark', async () => {
  const the = open()
  await the.accept(
    the.about('a', { digest: 'd' }),
    the.about('b', { digest: 'd', once: true }),
    the.about('c', { digest: 'd', once: true }),
    the.about('d', { digest: 'd' }),
  )
  await the.claim(SHOP, { calls: 0 })
  the.db.exec(`update deliveries set state = 'skipped' where id in (1, 3)`)
  expect(callsOf(await the.claim())).toEqual([[2], [4]])
  expect(the.db.prepare('select state, due_at - ? as lease from deliveries where id = 2').get(the.state.now)).toEqual({
    state: 'claimed',
    lease: 30_000,
  })
})
