import { describe, expect, test } from 'vitest'
import type { OrderEvidence } from '../../src/domain/orders/order-evidence.ts'
import { PLATFORM } from '../../src/domain/queue/event.ts'
import { HeldError, PermanentError, RetryLaterError } from '../../src/domain/values/errors.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { type Creation, EMPTY_CONTEXT, type PlatformVerifier, type Verifier } from '../../src/flows/flow.ts'
import { type Assertion, verifyWithPlatform } from '../../src/flows/guards.ts'
import { kindOf } from '../../src/platform/payloads/kinds.ts'
import { loggedEventOf } from '../../src/queue/order-reader.ts'
import type { ClaimedDelivery } from '../../src/storage/claim.ts'
import { refundUpdate, sale } from '../fixtures/payloads.ts'
import { HOUR } from '../storage/acting.ts'
import { claimOf, eventOf, NOW } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const PICKED: Assertion = { order: 'A1', is: 'picked' }
const { signal } = new AbortController()

function seen(status: string | null): OrderEvidence {
  return { status, lines: [], parcels: null, isSent: null }
}

/** The platform, which has this order, and whose log has these payloads, by span. */
function platform(
  order: OrderEvidence | null | Error,
  log: Partial<Record<'lately' | 'long', unknown[]>> = {},
  knows = true,
) {
  const asked: unknown[][] = []
  const verifier: PlatformVerifier = {
    async order(number, since) {
      asked.push(['order', number, since])
      if (order instanceof Error) throw order
      return order
    },
    knowsOrders: async () => knows,
    async sent(kind, since, span) {
      asked.push([span, kind, since])
      return (log[span] ?? []).map((payload) => loggedEventOf(kind, payload))
    },
  }
  return { asked, verifier }
}

function verified(
  verifier: Verifier,
  asserted: Assertion = PICKED,
  delivery: Partial<ClaimedDelivery> = {},
  {
    isSent = null,
    untaken = null,
    ...more
  }: { isSent?: boolean | null; untaken?: Creation | null; onlyLook?: boolean; makesCall?: () => boolean } = {},
  receivedAt = NOW - 5,
) {
  const claim = claimOf(delivery, { event: eventOf({}, { receivedAt }) })
  const { sources } = sourcesOf({ orders: { verifier, untakenCreation: async () => untaken } })
  const known = { ...EMPTY_CONTEXT, isSent, storeOf: sources.storeOf }
  const step = { ...claim, part: '', now: NOW, onlyLook: false, known, makesCall: () => true, ...more }
  return Promise.resolve(verifyWithPlatform(() => asserted).check?.(step, sources, signal)).then(
    (verdict) => (verdict && 'superseded' in verdict ? verdict.superseded : 'goes'),
    (error: Error & { code: string }) => `${error.name} ${error.code}: ${error.message}`,
  )
}

describe('a step about an order', () => {
  test('when the platform’s record says so, as of the webhook or later, then it goes out', async () => {
    const { asked, verifier } = platform(seen('Picked'))
    expect(await verified(verifier)).toBe('goes')
    expect(asked).toEqual([['order', 'A1', NOW - 5]])
  })

  test('an order whose record has an address, and whose webhook names no parcels, is held unless it was submitted to be fetched', async () => {
    for (const claimed of [PICKED, { order: 'A1', is: 'collected' } as const]) {
      const { verifier } = platform({ ...seen('Shipped'), isSent: true })
      expect(await verified(verifier, claimed)).toMatch(/^HeldError fetched-or-sent: .*order A1 has an address/)
      expect(await verified(verifier, claimed, {}, { isSent: false })).toBe('goes')
      expect(await verified(platform({ ...seen('Shipped'), isSent: false }).verifier, claimed)).toBe('goes')
    }
  })
  test('when the record does not say so yet, then it is asked again, and after the third time a person decides', async () => {
    const { verifier } = platform(seen('UnHandled'))
    const says = 'the platform says that order A1 is UnHandled, not Picked'
    for (const tries of [0, 1])
      expect(await verified(verifier, PICKED, { tries })).toBe(
        `RetryLaterError not-verified: ${says}; it is asked again`,
      )
    expect(await verified(verifier, PICKED, { tries: 2 })).toBe(
      `HeldError not-verified: nothing but the webhook says so: ${says}`,
    )
  })
  test('when the record says that it is past that, then there is nothing to do any more', async () => {
    expect(await verified(platform(seen('Expired')).verifier)).toBe(
      'invalidated: the platform says that order A1 is Expired, not Picked',
    )
  })

  test('when the platform does not know it, then that is told; and whether it ever told of any', async () => {
    const known = await verified(platform(null).verifier, PICKED, { tries: 2 })
    expect(known).toMatch(/the platform does not know order A1$/)
    const unproven = await verified(platform(null, {}, false).verifier, PICKED, { tries: 2 })
    expect(unproven).toMatch(/order A1\. It has not told of any order yet: if it cannot .*trustWebhooks/)
  })

  test('when there is no call to make, config believes webhooks, or a person let it go, then nobody is asked', async () => {
    const { asked, verifier } = platform(seen('Expired'))
    expect(await verified(verifier, PICKED, {}, { makesCall: () => false })).toBe('goes')
    expect(await verified(verifier, PICKED, {}, { onlyLook: true })).toBe('goes')
    expect(await verified(verifier, PICKED, { released: { by: 'Ola', reason: 'it is so' } })).toBe('goes')
    expect(await verified('operator')).toBe('goes')
    expect(asked).toEqual([])
  })

  test('when the platform cannot be asked, then it is held, with what to set', async () => {
    expect(await verified('none')).toMatch(/^HeldError webhooks-not-trusted: .*set platform\.baseUrl/)
  })

  test('when the platform cannot answer now, then it is asked later; when it refuses to, a person decides', async () => {
    expect(await verified(platform(new RetryLaterError('it is away')).verifier)).toBe(
      'RetryLaterError unread: the order could not be read first: it is away',
    )
    expect(await verified(platform(new PermanentError('403')).verifier)).toBe(
      'HeldError not-verified: the order could not be read first: 403. If it never tells, platform.trustWebhooks: true believes its webhooks',
    )
    expect(await verified(platform(new HeldError('ask the store', { code: 'asked' })).verifier)).toMatch(
      /^HeldError asked: ask the store$/,
    )
  })
})

describe('a step about goods that came back', () => {
  const returned: Assertion = {
    order: 'A1',
    is: 'returned',
    refundId: refundUpdate().refund.id,
    isRefunded: false,
    line: { key: '7090012340011', quantity: parseDecimal(1) },
  }

  test('when the platform’s log of the last days has the refund, then it goes out, and no older one is read', async () => {
    const { asked, verifier } = platform(null, { lately: [{}, refundUpdate()] })
    expect(await verified(verifier, returned)).toBe('goes')
    expect(asked).toEqual([['lately', 'OmniChannelOrderRefundUpdated', NOW - 5]])
  })

  test('when only that of the last month has it, then that will do; when none has, it is asked again', async () => {
    expect(await verified(platform(null, { long: [refundUpdate()] }).verifier, returned)).toBe('goes')
    expect(await verified(platform(null).verifier, returned)).toMatch(
      /^RetryLaterError not-verified: the platform does not know the refund .* of order A1/,
    )
  })
})

describe('a refund that is as the platform says, while an order of a POS with that number has not come', () => {
  const { id: refundId } = refundUpdate().refund
  const line = { key: '7090012340011', quantity: parseDecimal(1) }
  const returned: Assertion = { order: 'A1', is: 'returned', refundId, isRefunded: false, line }
  const ask = (untaken: Creation, receivedAt?: number) =>
    verified(platform(null, { lately: [refundUpdate()] }).verifier, returned, {}, { untaken }, receivedAt)

  test('when that may come yet, then it waits for a day; after that a person decides', async () => {
    const waits = await ask({ orderNo: 'A1', receiptNo: '1001' })
    expect(waits).toMatch(
      /^WaitError ambiguous-order: .* has an order A1 of a POS \(receipt 1001\), .*This waits for it/,
    )
    expect(await ask({ orderNo: 'A1', receiptNo: null })).toMatch(/\(receipt without number\)/)
    expect(await ask({ orderNo: 'A1', receiptNo: '1001' }, NOW - 25 * HOUR)).toMatch(
      /^HeldError ambiguous-order: .*It did not come within a day\. Ask the store/,
    )
  })
})

describe('a step about an order of a POS', () => {
  const identityOf = kindOf('SaleCreated')?.identity
  const { key = '', facts = null } = identityOf?.(sale(), PLATFORM) ?? {}
  const sold: Assertion = { is: 'sold', kind: 'SaleCreated', sale: { key, facts }, named: 'the sale 1001' }

  test('when the platform’s log has the very sale, then it goes out', async () => {
    const { asked, verifier } = platform(null, { lately: ['no sale', sale({ receiptNo: '999' }), sale()] })
    expect(await verified(verifier, sold)).toBe('goes')
    expect(asked).toEqual([['lately', 'SaleCreated', NOW - 5]])
  })

  test('when the log has none, or a kind that nobody can name, then it does not', async () => {
    expect(await verified(platform(null, { lately: [sale({ receiptNo: '999' })] }).verifier, sold)).toMatch(
      /the platform does not know the sale 1001: its event log has no such SaleCreated/,
    )
    const strange = { ...sold, kind: 'NoSuchKind' } as Assertion
    expect(await verified(platform(null, { lately: [sale()] }).verifier, strange)).toMatch(/no such NoSuchKind/)
  })
})
