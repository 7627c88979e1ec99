import { expect, test } from 'vitest'
import { tillbridge } from '../../../cli/run.ts'
import { ADMIN_TOKEN } from '../../../hub.ts'
import { DAY, HOUR } from '../../kit.ts'
import { openPos, type PosRules, STORE } from './pos-kit.ts'

const DIALECTS = ['frontsystems-v2', 'facts'] as const

/** A day on which the POS balances: it is learned then. */
async function learned(the: PosRules): Promise<void> {
  const { sell } = the.platform.actions
  await the.day(() => sell({ store: '101', pos: 1, sku: 'TEE-BLK-M' }))
  expect(await the.look()).toBe('1 POS')
}

test.each(DIALECTS)('when all that a POS sold has come (%s), then it has balanced until its close', async (dialect) => {
  await using the = await openPos({ dialect })
  const { sell, returnGoods, sellGiftCard, endlessAisle } = the.platform.actions
  const closed = await the.day(() => {
    sell({ store: '101', pos: 1, payment: 'split' })
    sell({ store: '101', pos: 1, payment: 'giftcard' })
    sellGiftCard({ store: '101' })
    endlessAisle({ store: '101', pos: 1 })
    returnGoods({ store: '101', pos: 2, payment: 'cash' })
    sell({ store: '101', pos: 2, lines: [{ sku: 'COFFEE' }, { sku: 'TEE-BLK-M', quantity: -1 }] })
  })
  expect(await the.look()).toBe('2 POS')
  expect(await the.gaps()).toEqual([])
  expect(await the.mark()).toMatchObject({ kind: 'SaleCreated', until: closed })
})

for (const dialect of DIALECTS)
  test(`when a receipt was lost (${dialect}), then the POS, its Z and what lacks are named, until it comes`, async () => {
    await using the = await openPos({ dialect })
    const { sell } = the.platform.actions
    await learned(the)
    const current = await the.mark()
    const closed = await the.day(() => {
      sell({ store: '101', pos: 1, sku: 'COFFEE' })
      the.platform.faults.next('drop')
      sell({ store: '101', pos: 1, sku: 'TEE-BLK-M' })
      sell({ store: '101', pos: 1, sku: 'COFFEE' })
    })

    expect(await the.look()).toBe('1 POS, 1 difference')
    const [gap] = await the.gaps('open')
    expect(gap).toMatchObject({
      cause: 'uncounted',
      kind: 'SaleCreated',
      storeId: STORE,
      evidence: { pos: { store: '101', pos: '421', z: 2, missingReceipts: '1', difference: '349' } },
    })
    expect(gap?.evidence.pos?.differs).toContain('receipts: 3 at the POS, 2 here; total: ')
    const mark = await the.mark()
    expect(mark?.until).toBeGreaterThanOrEqual(current?.until ?? 0)
    expect(mark?.until).toBeLessThanOrEqual(gap?.at ?? 0)

    await the.platform.sendFailedAgain()
    await the.quiet()
    expect(await the.look()).toBe('1 POS, 1 repaired')
    expect(await the.gaps()).toMatchObject([{ id: gap?.id, state: 'repaired', ended: { by: 'hub' } }])
    expect((await the.mark())?.until).toBe(closed)
  })

test.each(DIALECTS)('when a Z report is not here (%s), then its number is named, until it comes', async (dialect) => {
  await using the = await openPos({ dialect })
  const { sell } = the.platform.actions
  await learned(the)
  const first = await the.day(() => sell({ store: '101', pos: 1 }))
  await the.look()
  the.platform.posList.hide(true)
  await the.day(() => sell({ store: '101', pos: 1, sku: 'TEE-BLK-M' }))
  // The POS has sold, and nobody has heard that it was closed.
  expect(await the.look()).toBe('1 POS')
  expect((await the.mark())?.until).toBe(first)
  the.platform.posList.hide(false)
  const last = await the.day(() => sell({ store: '101', pos: 1, sku: 'COFFEE' }))

  expect(await the.look()).toBe('1 POS, 1 difference')
  expect(await the.gaps('open')).toMatchObject([
    { cause: 'z-missing', kind: null, at: first, evidence: { pos: { pos: '421', z: 4, missing: 3 } } },
  ])
  expect((await the.mark())?.until).toBe(first)

  the.platform.posList.show()
  expect(await the.look()).toBe('1 POS, 1 repaired')
  expect(await the.gaps('open')).toEqual([])
  expect((await the.mark())?.until).toBe(last)
})

test('when the last receipts of a POS may still come, then nothing is said for a while', async () => {
  await using the = await openPos({ pos: { patience: '2h' } })
  const { sell } = the.platform.actions
  await learned(the)
  the.clock.advance(9 * HOUR)
  the.platform.faults.next('drop')
  sell({ store: '101', pos: 1 })
  the.platform.closeDay('101')
  await the.quiet()
  expect(await the.look()).toBe('1 POS, 1 waiting for the rest')
  the.clock.advance(3 * HOUR)
  expect(await the.look()).toBe('1 POS, 1 difference')
})

test('when a person asks until when POS have balanced, then they are told, with what lacks and what repairs it', async () => {
  await using the = await openPos()
  const { sell } = the.platform.actions
  const ask = (...args: string[]) =>
    tillbridge(args, { TILLBRIDGE_URL: the.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  // Of time before the logs were looked through nothing is proven.
  await the.run('reconcile-log')
  const closed = await the.day(() => sell({ store: '101', pos: 1 }))
  await the.look('log')
  const balanced = await the.hub.admin(`completeness?store=${STORE}&until=${new Date(closed).toISOString()}`)
  expect(balanced.body).toMatchObject({
    verdict: 'proven',
    watermarks: expect.arrayContaining([
      expect.objectContaining({ level: 'pos', kind: 'SaleCreated', storeId: STORE, verdict: 'proven', gaps: 0 }),
    ]),
  })
  expect(await ask('complete', '--store', STORE)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/pos +SaleCreated/),
  })

  the.platform.faults.next('drop')
  await the.day(() => sell({ store: '101', pos: 1, sku: 'TEE-BLK-M' }))
  await the.look()
  const asked = await ask('complete', '--store', STORE)
  expect(asked).toMatchObject({ code: 3, out: expect.stringContaining('Something is missing') })
  const { out } = await ask('gaps', 'show', '1')
  expect(out).toContain('A POS has counted more receipts, or fewer, than are here.')
  expect(out).toMatch(/"pos":"421","z":2/)
  expect(out).toMatch(/receipts: 1 at the POS, 0 here; total: 349 at the POS, 0 here/)
  expect(out).toContain('tillbridge jobs run resend-failed; tillbridge jobs run reconcile-pos')

  // As it says.
  await the.run('resend-failed')
  await the.quiet()
  await the.run('reconcile-pos')
  await the.run('reconcile-log')
  expect(await ask('complete', '--store', STORE)).toMatchObject({ code: 0 })
})

test('when a POS sells again, then its receipts are not called balanced before a report has counted them', async () => {
  await using the = await openPos()
  const { sell } = the.platform.actions
  const closed = await the.day(() => sell({ store: '101', pos: 1 }))
  await the.look('log')
  // Overnight nobody has counted anything, and the log proves that nothing was sold.
  const overnight = (await the.mark())?.until ?? 0
  expect(overnight).toBeGreaterThan(closed)
  the.clock.advance(9 * HOUR)
  sell({ store: '101', pos: 1 })
  const sold = the.clock.now()
  the.clock.advance(HOUR)
  await the.quiet()
  await the.look('log')
  const mark = (await the.mark())?.until ?? 0
  expect(mark).toBeGreaterThanOrEqual(overnight)
  expect(mark).toBeLessThanOrEqual(sold)
  expect(the.hub.lines.filter(({ msg }) => msg === 'watermark.went-back')).toEqual([])
})

test('when a store is closed for good, then nobody waits for its POS, and the rest can be proven', async () => {
  await using the = await openPos()
  const { sell } = the.platform.actions
  await the.day(() => sell({ store: '101', pos: 1 }))
  await the.look('log')
  expect(await the.mark()).not.toBeNull()
  the.clock.advance(64 * DAY)
  await the.look('log')
  const [log] = (await the.hub.hub.storage.watermarks()).filter(
    ({ level, kind }) => level === 'log' && kind === 'SaleCreated',
  )
  expect((await the.mark())?.until).toBe(log?.until)
  the.clock.advance(4 * DAY)
  await the.look('log')
  const { body } = await the.hub.admin<{ watermarks: { level: string; verdict: string }[] }>('completeness')
  expect(body.watermarks.filter(({ level }) => level === 'pos')).toMatchObject([{ verdict: 'proven' }])
})
