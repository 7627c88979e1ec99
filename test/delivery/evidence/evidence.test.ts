import { describe, expect, test } from 'vitest'
import { bearOut } from '../../../src/delivery/calling/prepare.ts'
import { type Creation, type PlatformWitness, saidBy, type Witness } from '../../../src/delivery/evidence/witness.ts'
import type { OrderSeen } from '../../../src/domain/orders/order-evidence.ts'
import { PLATFORM } from '../../../src/domain/queue/event.ts'
import { HeldError, PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Claimed } from '../../../src/flows/flow.ts'
import { kindOf } from '../../../src/payloads/kinds.ts'
import type { ClaimedDelivery } from '../../../src/store/claim.ts'
import { refundUpdate, sale } from '../../fixtures/payloads.ts'
import { claimOf, eventOf, flowOf, NOW } from '../kit/parts.ts'

const PICKED: Claimed = { order: 'A1', is: 'picked' }
const { signal } = new AbortController()

function seen(status: string | null): OrderSeen {
  return { status, lines: [], parcels: null, isSent: null }
}

/** The platform, which has this order, and whose log has these payloads, by span. */
function platform(
  order: OrderSeen | null | Error,
  log: Partial<Record<'lately' | 'long', unknown[]>> = {},
  knows = true,
) {
  const asked: unknown[][] = []
  const witness: PlatformWitness = {
    async order(number, since) {
      asked.push(['order', number, since])
      if (order instanceof Error) throw order
      return order
    },
    knowsOrders: async () => knows,
    async sent(kind, since, span) {
      asked.push([span, kind, since])
      return (log[span] ?? []).map((payload) => saidBy(kind, payload))
    },
  }
  return { asked, witness }
}

function borneOut(
  witness: Witness,
  claimed: Claimed | null = PICKED,
  delivery: Partial<ClaimedDelivery> = {},
  { isSent = null, untaken = null }: { isSent?: boolean | null; untaken?: Creation | null } = {},
) {
  const claim = claimOf(delivery, { event: eventOf({}, { receivedAt: NOW - 5 }) })
  const flow = claimed ? flowOf('step', { claims: () => claimed }) : flowOf('publish')
  const orders = { witness, untakenCreation: async () => untaken }
  return bearOut(claim, flow, orders, { isSent, now: NOW }, signal).then(
    (past) => past ?? 'goes',
    (error: Error & { code: string }) => `${error.name} ${error.code}: ${error.message}`,
  )
}

describe('a step about an order', () => {
  test('when the platform’s record says so, as of the webhook or later, then it goes out', async () => {
    const { asked, witness } = platform(seen('Picked'))
    expect(await borneOut(witness)).toBe('goes')
    expect(asked).toEqual([['order', 'A1', NOW - 5]])
  })

  test('an order whose record has an address, and whose webhook names no parcels, is held unless it was submitted to be fetched', async () => {
    for (const claimed of [PICKED, { order: 'A1', is: 'collected' } as const]) {
      const { witness } = platform({ ...seen('Shipped'), isSent: true })
      expect(await borneOut(witness, claimed)).toMatch(/^HeldError fetched-or-sent: .*order A1 has an address/)
      expect(await borneOut(witness, claimed, {}, { isSent: false })).toBe('goes')
      expect(await borneOut(platform({ ...seen('Shipped'), isSent: false }).witness, claimed)).toBe('goes')
    }
  })
  test('when the record does not say so yet, then it is asked again, and after the third time a person decides', async () => {
    const { witness } = platform(seen('UnHandled'))
    const says = 'the platform says that order A1 is UnHandled, not Picked'
    for (const tries of [0, 1])
      expect(await borneOut(witness, PICKED, { tries })).toBe(
        `RetryLaterError not-borne-out: ${says}; it is asked again`,
      )
    expect(await borneOut(witness, PICKED, { tries: 2 })).toBe(
      `HeldError not-borne-out: nothing but the webhook says so: ${says}`,
    )
  })
  test('when the platform does not know it, then that is told; and whether it ever told of any', async () => {
    const known = await borneOut(platform(null).witness, PICKED, { tries: 2 })
    expect(known).toMatch(/the platform does not know order A1$/)
    const unproven = await borneOut(platform(null, {}, false).witness, PICKED, { tries: 2 })
    expect(unproven).toMatch(/order A1\. It has not told of any order yet: if it cannot .*trustWebhooks/)
  })

  test('when nothing is claimed, config believes webhooks, or a person let it go, then nobody is asked', async () => {
    const { asked, witness } = platform(seen('Expired'))
    expect(await borneOut(witness, null)).toBe('goes')
    expect(await borneOut(witness, PICKED, { released: { by: 'Ola', reason: 'it is so' } })).toBe('goes')
    expect(await borneOut('operator')).toBe('goes')
    expect(asked).toEqual([])
  })

  test('when the platform cannot be asked, then it is held, with what to set', async () => {
    expect(await borneOut('nobody')).toMatch(/^HeldError webhooks-not-trusted: .*set platform\.baseUrl/)
  })

  test('when the platform cannot answer now, then it is asked later; when it refuses to, a person decides', async () => {
    expect(await borneOut(platform(new RetryLaterError('it is away')).witness)).toBe(
      'RetryLaterError unread: the order could not be read first: it is away',
    )
    expect(await borneOut(platform(new PermanentError('403')).witness)).toBe(
      'HeldError not-borne-out: the order could not be read first: 403. If it never tells, platform.trustWebhooks: true believes its webhooks',
    )
    expect(await borneOut(platform(new HeldError('ask the store', { code: 'asked' })).witness)).toMatch(/ask the store/)
  })
})

describe('a step about goods that came back', () => {
  const returned: Claimed = {
    order: 'A1',
    is: 'returned',
    refundId: refundUpdate().refund.id,
    isRefunded: false,
    line: { key: '7090012340011', quantity: parseDecimal(1) },
  }

  test('when the platform’s log of the last days has the refund, then it goes out, and no older one is read', async () => {
    const { asked, witness } = platform(null, { lately: [{}, refundUpdate()] })
    expect(await borneOut(witness, returned)).toBe('goes')
    expect(asked).toEqual([['lately', 'OmniChannelOrderRefundUpdated', NOW - 5]])
  })

  test('when only that of the last month has it, then that will do; when none has, it is asked again', async () => {
    expect(await borneOut(platform(null, { long: [refundUpdate()] }).witness, returned)).toBe('goes')
    expect(await borneOut(platform(null).witness, returned)).toMatch(
      /^RetryLaterError not-borne-out: the platform does not know the refund .* of order A1/,
    )
  })
})

describe('a step about an order of a till', () => {
  const identityOf = kindOf('SaleCreated')?.identity
  const { key = '', facts = null } = identityOf?.(sale(), PLATFORM) ?? {}
  const sold: Claimed = { is: 'sold', kind: 'SaleCreated', sale: { key, facts }, named: 'the sale 1001' }

  test('when the platform’s log has the very sale, then it goes out', async () => {
    const { asked, witness } = platform(null, { lately: ['no sale', sale({ receiptNo: '999' }), sale()] })
    expect(await borneOut(witness, sold)).toBe('goes')
    expect(asked).toEqual([['lately', 'SaleCreated', NOW - 5]])
  })

  test('when the log has none, or a kind that nobody can name, then it does not', async () => {
    expect(await borneOut(platform(null, { lately: [sale({ receiptNo: '999' })] }).witness, sold)).toMatch(
      /the platform does not know the sale 1001: its event log has no such SaleCreated/,
    )
    const strange = { ...sold, kind: 'NoSuchKind' } as Claimed
    expect(await borneOut(platform(null, { lately: [sale()] }).witness, strange)).toMatch(/no such NoSuchKind/)
  })
})
