import { expect, test } from 'vitest'
import { customer, sale } from '../../../fixtures/payloads.ts'
import { keptIn, startTestHub } from '../../../hub.ts'
import { CANARIES, erase, ZEB } from '../zeb.ts'

test('When payloads that speak of a person are nested by thousands of levels, then the person is found, handed out and erased all the same', async () => {
  await using hub = await startTestHub()
  await hub.post('CustomerCreated', customer(ZEB))
  for (const levels of [1_500, 2_000, 2_500, 3_000]) {
    const extra = `${'{"a":'.repeat(levels)}"For ${ZEB.email}"${'}'.repeat(levels)}`
    await hub.post('CustomerUpdated', withExtra(customer({ ...ZEB, city: `${levels}` }), extra))
    await hub.post('SaleCreated', withExtra(sale({ receiptNo: `${levels}`, comment: ZEB.email }), extra))
  }

  for (const act of ['find', 'export'])
    expect(await hub.admin(`people/${act}`, { who: ZEB.email, reason: 'asked' })).toMatchObject({ status: 200 })
  const { status, body } = await erase(hub)

  expect(status).toBe(200)
  expect(body.proof?.secondPass.found).toBe(0)
  const left = keptIn(hub).filter(({ body }) => CANARIES.some((text) => body.includes(text)))
  expect(left).toEqual([])
})

/** With one field more, as it is written. */
function withExtra(payload: object, extra: string): string {
  return JSON.stringify(payload).replace(/\}$/, `,"extra":${extra}}`)
}
