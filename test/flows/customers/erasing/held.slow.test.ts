import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import { asking } from '../../../cli/run.ts'
import { eventually } from '../../../eventually.ts'
import { customer, sale } from '../../../fixtures/payloads.ts'
import { startTestHub } from '../../../hub.ts'
import { bodiesOf } from '../families.ts'
import { testOnPostgres, withoutHashes, ZEB } from '../zeb.ts'

const KARI = { ...sale().customer, customerId: 31, email: 'kari@example.com', firstName: 'Kari', customerExtId: '' }

/** Erases somebody who stands in two sales of somebody else, of which one is held. */
async function eraseBesideHeld(store?: { url: string }, by: 'name' | 'proof' = 'name'): Promise<void> {
  await using hub = await startTestHub({ ...(store && { config: { store } }) })
  await hub.post('CustomerCreated', customer(ZEB), { eventId: 'Z-1' })
  const bought = sale({ customer: KARI, comment: `For ${ZEB.email}` })
  await hub.post('SaleCreated', bought, { eventId: 'K-1' })
  await hub.post('SaleCreated', { ...bought, receiptNo: '1002' }, { eventId: 'K-2' })
  await hub.admin('retention/hold', { events: [2], reason: 'case 7' })
  const before = await bodiesOf(hub, 3)
  // Beside transactions of others on a server, the index may come later.
  await eventually(async () => {
    const found = (await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body
    expect(found).toMatchObject({ events: 1, held: [] })
  })

  const file = join(hub.folder, 'proof.json')
  const { code, out } = await asking(hub)('people', 'erase', ZEB.email, '--reason', 'asked', '--proof-to', file)
  expect({ code, out }).toMatchObject({ code: 1, out: expect.stringMatching(/legal hold.*event 2\b/) })
  const after = await bodiesOf(hub, 3)
  expect(after[1], 'the held one is as it was').toBe(before[1])
  expect([after[0], after[2]].join()).not.toMatch(/zebed|qvist|canary/i)
  const proof = readFileSync(file, 'utf8')
  expect(JSON.parse(proof).secondPass).toMatchObject({ found: expect.any(Number), held: [2] })
  expect(withoutHashes(proof)).not.toMatch(/zebed|qvist|canary/i)

  await hub.admin('retention/unhold', { events: [2], reason: 'closed' })
  const named = by === 'name' ? [ZEB.email] : ['--proof', file]
  const again = await asking(hub)('people', 'erase', ...named, '--reason', 'the case is closed')
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining(JSON.parse(proof).pseudonym) })
  expect((await bodiesOf(hub, 3)).join()).not.toMatch(/zebed|qvist|canary/i)
  expect((await asking(hub)('people', 'find', ZEB.email)).out).toContain('No data of this person is indexed')
}

test('When an event of somebody else is under a legal hold in which the person stands, then it stays, and the proof names it', async () => {
  await eraseBesideHeld()
})

test('When that event is let go, then the proof ends the erasure as the same command does', async () => {
  await eraseBesideHeld(undefined, 'proof')
})

testOnPostgres('What is held stays', async (store) => {
  await eraseBesideHeld(store)
})
