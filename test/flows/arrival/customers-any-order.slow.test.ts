import { expect, test } from 'vitest'
import { customer } from '../../fixtures/payloads.ts'
import { settled } from '../days/open-store.ts'
import { permutations } from '../orders/any-order-given.ts'
import { type InCrm, startWithCrm } from './crm-kit.ts'

/* What becomes of a customer in a CRM is the same whatever comes first: events come late, and again from the event log. */

/** What happened to a customer, an hour each after the one before. */
const LIVES = {
  moves: [
    { city: 'Oslo', agreedSendEmail: true },
    { city: 'Voss', agreedSendEmail: true },
    { city: 'Voss', agreedSendEmail: false },
    // From here on an own system has them, too.
    { city: 'Moss', agreedSendEmail: false, customerExtId: 'C-1' },
  ],
  'moves away and back': [
    { city: 'Moss', agreedSendEmail: false },
    { city: 'Oslo', agreedSendEmail: true },
    { city: 'Moss', agreedSendEmail: false },
  ],
}

/** Where nothing of a customer is known yet, nothing is told of who is deleted. */
const DELETED = [
  { city: 'Oslo', agreedSendEmail: true, agreedSendSMS: true },
  { city: 'Voss', agreedSendEmail: true, agreedSendSMS: true },
  { city: 'Voss', agreedSendEmail: false, agreedSendSMS: true, deleted: true },
]

function changesOf(life: readonly object[], customerId: number): Record<string, unknown>[] {
  return life.map((more, hour) => {
    const at = new Date(Date.UTC(2026, 10, 20, hour)).toISOString().slice(0, -1)
    return customer({ customerId, updatedDateTime: at, gdprUpdatedDateTime: at, agreedSendSMS: false, ...more })
  })
}

const MODES = ['one by one', 'in a burst', 'doubled', 'while the CRM is down'] as const

for (const mode of MODES)
  test(`When a customer moves and withdraws, and the events come in any order (${mode}), then the CRM has the last of them`, async () => {
    for (const life of Object.values(LIVES))
      expect(ends(await play(life, mode))).toEqual([{ city: 'Moss', mail: false, texts: false }])
  })

for (const mode of MODES)
  test(`When a customer is deleted who withdraws, and the events come in any order (${mode}), then the CRM writes no more to whom it knows`, async () => {
    for (const { order, end } of await play(DELETED, mode)) {
      if (mode !== 'one by one') expect([order, end.mail]).not.toEqual([order, true])
      else if (order[0] === 2) expect([order, end]).toEqual([order, {}])
      else expect([order, end]).toMatchObject([order, { mail: false, texts: true }])
    }
  })

/** What the CRM has in the end, each once. */
function ends(played: readonly { end: InCrm }[]): InCrm[] {
  return [...new Map(played.map(({ end }) => [JSON.stringify(end), end])).values()]
}

/** Plays a life in every order in which its events can come, of a customer of their own each time. */
async function play(life: readonly object[], mode: (typeof MODES)[number]) {
  await using the = await startWithCrm()
  const turns = permutations([...life.keys()])
  the.isDown(mode === 'while the CRM is down')
  for (const round of life.keys()) {
    for (const [turn, order] of turns.entries()) {
      const customerId = 5000 + turn
      const which = order[round] ?? 0
      const change = changesOf(life, customerId)[which] ?? {}
      if (change.customerExtId) change.customerExtId = `C-${customerId}`
      for (const name of mode === 'doubled' ? ['', '', '-again'] : [''])
        await the.hub.post('CustomerUpdated', change, { eventId: `${customerId}-${which}${name}` })
    }
    if (mode === 'one by one') await settled(the.hub)
  }
  the.isDown(false)
  await settled(the.hub)
  return turns.map((order, turn) => ({ order, end: the.of(5000 + turn) }))
}
