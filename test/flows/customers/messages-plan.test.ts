import { describe, expect, test } from 'vitest'
import { acknowledgedBySender, consentOfSender } from '../../../src/flows/customers.ts'
import type { CallContext } from '../../../src/flows/flow.ts'
import { customer, type Given, orderUpdate, receipt, sale, saleCustomer } from '../../fixtures/payloads.ts'
import { placedOf } from '../../queue/sources.ts'
import { ARTICLE, asking, called, flowNamed, planned, RELEASED } from '../plan-kit.ts'

const UPDATED = 'OmniChannelOrderUpdated'
const KARI = { name: 'Kari', email: 'kari@example.com', phone: '+4790012345' }

describe('a message about an order', () => {
  const placed = { ...placedOf(), customer: KARI }
  const send = (name: string, payload: object, known: Partial<CallContext> = {}, part = '') =>
    called(flowNamed(name), UPDATED, payload, { order: placed, isSent: false, ...known }, part)

  test.each([
    ['email-ready', 'email', 'ready', KARI.email],
    ['text-ready', 'texts', 'ready', KARI.phone],
    ['email-collected', 'email', 'collected', KARI.email],
    ['text-expired', 'texts', 'expired', KARI.phone],
  ])('when %s is due, then it goes to the customer by %s, with the name of the store', (name, port, type, to) => {
    expect(send(name, orderUpdate({ status: type === 'ready' ? 'Picked' : 'Shipped' }))).toEqual({
      ...{ port, method: 'send' },
      argument: { type, order: { ...placed, storeName: 'Oslo City' }, goods: null, to, name: 'Kari' },
    })
    const named = { ...placed, storeName: 'Bergen' }
    expect(send(name, orderUpdate(), { order: named })).toMatchObject({ argument: { order: { storeName: 'Bergen' } } })
  })

  test('when nobody knows the order, its customer or how to reach them, or it is sent to them, then there is none', () => {
    expect(send('email-ready', orderUpdate(), { order: null })).toBeNull()
    expect(send('email-ready', orderUpdate(), { order: placedOf() })).toBeNull()
    for (const order of [null, placedOf(), { ...placed, customer: { ...KARI, phone: null } }])
      expect(send('text-ready', orderUpdate(), { order })).toBeNull()
    expect(send('email-ready', orderUpdate(), { isSent: true })).toBeNull()
    expect(send('email-expired', orderUpdate(), { isSent: true })).toMatchObject({ method: 'send' })
  })

  test('when goods are declined, then the message names the article, and how many were declined since the last', async () => {
    const [line] = orderUpdate().order.orderLines
    const payload = orderUpdate({ orderLines: [{ ...line, quantity: 3, status: 'Declined' }] })
    const tell = (known: Partial<CallContext>) => send('email-declined', payload, known, '1')
    expect(tell({ articleName: 'T-shirt' })?.argument).toMatchObject({
      goods: { name: 'T-shirt', gtin: ARTICLE, quantity: '3' },
    })
    expect(tell({ reported: '1' as CallContext['reported'] })?.argument).toMatchObject({ goods: { quantity: '2' } })
    expect(tell({ reported: '3' as CallContext['reported'] })).toBeNull()
    const names: string[] = []
    const articleName = async (gtin: string) => {
      names.push(gtin)
      return null
    }
    const ask = (part: string) =>
      asking(
        flowNamed('email-declined'),
        'articleName',
        planned(UPDATED, payload),
        part,
        {
          orders: { articleName },
        },
        {},
        { order: placed },
      ).verdict
    expect(await ask('1')).toEqual({ known: { articleName: null } })
    expect(await ask('2')).toBeNull()
    expect(names).toEqual([ARTICLE])
  })
})

describe('a digital receipt', () => {
  const KIND = 'OmniChannelSendReceiptCreated'
  const plan = (given: Given) =>
    ['email-receipt', 'text-receipt'].map((name) => flowNamed(name).plan(planned(KIND, receipt(given))))
  const send = (given: Given, name = 'email-receipt') => called(flowNamed(name), KIND, receipt(given))

  test('when it says how and to whom, then it goes in order; when it cannot be read, or not be sent so, it blocks nothing', () => {
    expect(plan({})).toEqual([[{ part: '', entity: 'it' }], []])
    expect(plan({ channel: 'E-Mail', recipient: 'kari' })).toEqual([[{ part: '', entity: 'it' }], []])
    expect(plan({ channel: 'Pigeon', recipient: 'the tower' })).toEqual([[{ part: '', entity: null }], []])
    expect(plan({ sendReceipt: sale({ total: null }) })).toEqual([[{ part: '', entity: null }], []])
    expect(plan({ channel: null })).toEqual([[{ part: '', entity: null }], []])
    expect(plan({ channel: null, recipient: '47 90012345' })).toEqual([[], [{ part: '', entity: null }]])
    expect(plan({ recipient: null })).toEqual([[{ part: '', entity: null }], []])
    expect(plan({ channel: null, recipient: null })).toEqual([[], []])
  })

  test('when it is sent, then with its sale and its signature, where there is one', () => {
    const argument = {
      type: 'receipt',
      to: 'kari.nordmann@example.com',
      name: 'Kari Nordmann',
      sale: { receiptNo: '1001' },
    }
    expect(send({})).toMatchObject({ port: 'email', method: 'send', argument })
    expect(send({})?.argument).toMatchObject({ signature: { signature: 'c2lnbmF0dXJl', keyVersion: '1' } })
    expect(send({ signatureInfo: null })?.argument).toMatchObject({ signature: null })
    expect(send({ channel: 'SMS' }, 'text-receipt')).toMatchObject({ port: 'texts', method: 'send' })
  })

  test('when there is nobody to send it to, or no way to do so, then the operator reads why', () => {
    expect(() => send({ recipient: null })).toThrow(
      expect.objectContaining({
        code: 'unreadable-field',
        message: expect.stringContaining('recipient could not be read'),
      }),
    )
    expect(() => send({ channel: 'Pigeon', recipient: 'the tower' })).toThrow(
      expect.objectContaining({
        name: 'HeldError',
        code: 'unknown-word',
        message: expect.stringContaining('another channel'),
      }),
    )
  })
})

describe('customers', () => {
  const plan = (name: string, kind: string, payload: object) => flowNamed(name).plan(planned(kind, payload))

  test('when a sale has a customer, then the directory remembers them; else there is nobody', () => {
    const known = sale({ customer: saleCustomer({ customerId: 4711, email: 'kari@example.com', firstName: 'Kari' }) })
    expect(plan('remember-customer', 'SaleCreated', known)).toEqual([{ part: '', entity: null, batch: 'sales' }])
    expect(plan('remember-customer', 'SaleCreated', sale())).toEqual([])
    expect(called(flowNamed('remember-customer'), 'SaleCreated', known)).toMatchObject({
      ...{ port: 'customers', method: 'remember', argument: { customerId: '4711' } },
    })
    expect(() => called(flowNamed('remember-customer'), 'SaleCreated', sale())).toThrow('no customer to remember')
  })

  test('when a record or a choice is said again, then it is the same; the one does not change the other', () => {
    const saidBy = (name: string, given: Given) => plan(name, 'CustomerUpdated', customer(given))[0]
    expect(saidBy('upsert-customer', {})).toMatchObject({ part: '', entity: 'it', subject: 'customer:4711' })
    expect(saidBy('tell-consent', {})).toMatchObject({ part: '', entity: 'it', subject: 'customer:4711' })
    expect(saidBy('tell-consent', { customerExtId: 'X 1' })).toMatchObject({ subject: 'customer-ext:X%201' })
    const digests = (name: string, ...all: Given[]) => new Set(all.map((given) => saidBy(name, given)?.digest)).size
    expect(digests('upsert-customer', {}, { agreedSendEmail: false }, { customerExtId: 'X' })).toBe(1)
    expect(digests('upsert-customer', {}, { firstName: 'Ola' }, { deleted: true })).toBe(3)
    expect(digests('tell-consent', {}, { firstName: 'Ola' })).toBe(1)
    expect(
      digests('tell-consent', {}, { agreedSendEmail: false }, { agreedSendSMS: true }, { agreedSendSMS: null }),
    ).toBe(4)
    const silent = customer({ agreedSendEmail: null, agreedSendSMS: null })
    expect(plan('tell-consent', 'CustomerUpdated', silent)).toEqual([])
    expect(called(flowNamed('tell-consent'), 'CustomerUpdated', customer())).toMatchObject({
      ...{ port: 'customers', method: 'noteConsent', argument: { agreedSendEmail: true, agreedSendSms: false } },
    })
  })

  test('when they are deleted, then only a system that knew of their choices is told that these are revoked', async () => {
    const withdraw = (given: Given, unacknowledged?: true) =>
      asking(
        flowNamed('tell-consent'),
        'onlyIfNotified',
        planned('CustomerUpdated', customer(given)),
        '',
        {},
        {},
        {},
        {
          ...(unacknowledged && { unacknowledged }),
        },
      ).verdict
    expect(await withdraw({ deleted: true }, true)).toMatchObject({ code: 'nothing-left' })
    expect(await withdraw({ deleted: true })).toBeNull()
    expect(await withdraw({}, true)).toBeNull()
  })

  test('when one is submitted, then it is as new as it says, and the directory takes it under its number there', () => {
    const changedAt = '2026-11-20T09:00:00Z'
    const submitted = { extId: 'C-1', changedAt, phone: '90012345', countryCode: 'NO' }
    const [step] = plan('save-customer', 'CustomerSubmitted', submitted)
    expect(step).toEqual({ part: '', entity: 'it', version: Date.parse(changedAt) })
    expect(called(flowNamed('take-customer'), 'CustomerSubmitted', submitted)).toMatchObject({
      ...{ port: 'customers', method: 'take', argument: { extId: 'C-1', email: null, phone: '+4790012345' } },
    })
  })

  test.each<[string, object, string, object, unknown]>([
    ['was deleted', {}, 'CustomerDeletionSubmitted', {}, 'nothing'],
    [
      'was changed',
      {},
      'CustomerSubmitted',
      { firstName: 'Ola' },
      { extId: 'C-1', changedAt: '2026-11-20', email: 'k@example.com' },
    ],
    [
      'was changed, and says that it is older',
      {},
      'CustomerSubmitted',
      { firstName: 'Ola', changedAt: '2026-11-19' },
      'all',
    ],
    [
      'was changed, and does not say when',
      {},
      'CustomerSubmitted',
      { firstName: 'Ola', email: 'o@example.com', changedAt: undefined },
      'nothing',
    ],
  ])(
    'when one that failed is tried again after it %s, then only what still holds is sent',
    async (_, given, laterKind, later, left) => {
      const own = { extId: 'C-1', changedAt: '2026-11-20', firstName: 'Kari', email: 'k@example.com', ...given }
      const given2 = {
        deliveries: async () => [{ id: 9, event: 2, kind: laterKind, state: 'delivered', code: null }] as never,
        event: async () => ({ body: Buffer.from(JSON.stringify({ extId: 'C-1', changedAt: '2026-11-20', ...later })) }),
      }
      const { verdict } = asking(
        flowNamed('save-customer'),
        'supersededBy',
        planned('CustomerSubmitted', own),
        '',
        given2,
        {
          ...{ entity: 'it', firstTriedAt: 1 },
        },
      )
      const said = await verdict
      const rest = said && 'event' in said ? JSON.parse(Buffer.from(said.event.body).toString()) : 'nothing'
      expect(said === null ? 'all' : rest).toEqual(left)
    },
  )

  test.each<[string, Given, Given, unknown]>([
    [
      'e-mail, which was revoked since',
      { agreedSendEmail: true },
      { agreedSendEmail: false, agreedSendSMS: true },
      { extId: 'C-1', name: 'Kari' },
    ],
    [
      'texts, which were revoked since',
      { agreedSendSms: true },
      { agreedSendEmail: true, agreedSendSMS: false },
      { extId: 'C-1', name: 'Kari' },
    ],
    [
      'both, of which one was revoked since',
      { agreedSendEmail: true, agreedSendSms: true },
      { agreedSendEmail: false, agreedSendSMS: true },
      { extId: 'C-1', name: 'Kari', agreedSendSms: true },
    ],
    [
      'e-mail, which was not revoked',
      { agreedSendEmail: true },
      { agreedSendEmail: true, agreedSendSMS: false },
      'all',
    ],
    ['nothing', { agreedSendEmail: false }, { agreedSendEmail: false, agreedSendSMS: false }, 'all'],
  ])('when one agreed to %s, then that is not said again', async (_, agreed, since, left) => {
    const payload = { extId: 'C-1', name: 'Kari', ...agreed }
    const asked: unknown[] = []
    const given = {
      links: async (...about: unknown[]) => {
        asked.push(about)
        return [{ theirId: '4711' }] as never
      },
      find: async (keys: readonly { value: string }[]) => {
        asked.push(keys.length)
        return [{ event: { id: 2, kind: 'CustomerUpdated' } }]
      },
      event: async () => ({ body: Buffer.from(JSON.stringify(customer(since))) }),
    }
    const tried = { entity: 'it', firstTriedAt: 1 }
    const { verdict } = asking(
      flowNamed('save-customer'),
      'respectsConsent',
      planned('CustomerSubmitted', payload),
      '',
      given,
      tried,
    )
    const said = await verdict
    expect(said && 'event' in said ? JSON.parse(Buffer.from(said.event.body).toString()) : 'all').toEqual(left)
    expect(asked).toEqual(agreed.agreedSendEmail === false ? [] : [['bus', 'customer', ['C-1']], 2])
  })

  test('when a system submits one, then it is not told of what it said itself', () => {
    const submitted = { extId: 'X 1', email: 'kari@example.com', agreedSendEmail: true, agreedSendSms: false }
    const own = { destination: 'crm', subject: 'customer-ext:X%201', digest: expect.any(String) }
    expect(acknowledgedBySender('crm', submitted)).toEqual({ ...own, flow: 'upsert-customer' })
    const told = consentOfSender('crm', submitted)
    expect(told).toEqual([{ ...own, flow: 'tell-consent' }])
    const there = customer({ customerExtId: 'X 1', agreedSendEmail: true, agreedSendSMS: false })
    expect(plan('tell-consent', 'CustomerUpdated', there)[0]?.digest).toBe(told[0]?.digest)
    for (const unsaid of ['agreedSendEmail', 'agreedSendSms'])
      expect(consentOfSender('crm', { ...submitted, [unsaid]: undefined })).toEqual([])
  })

  test('when it is deleted, then its record and its choices end as the same for everybody; a choice that was made ends as revoked', () => {
    const gone = { customerId: 4711, deleted: true }
    const withdraw = (given: Given) => called(flowNamed('tell-consent'), 'CustomerUpdated', { ...gone, ...given })
    const [step] = plan('tell-consent', 'CustomerUpdated', gone)
    expect(step).toMatchObject({ part: '', subject: 'customer:4711' })
    expect(step?.digest).toBe(plan('upsert-customer', 'CustomerUpdated', { ...gone, customerId: 1 })[0]?.digest)
    expect(withdraw({ agreedSendEmail: true, agreedSendSMS: false })?.argument).toMatchObject({
      ...{ agreedSendEmail: null, agreedSendSms: false },
    })
    expect(withdraw({ agreedSendEmail: true, agreedSendSMS: true })).toBeNull()
    expect(called(flowNamed('upsert-customer'), 'CustomerUpdated', customer())).toMatchObject({
      ...{ port: 'customers', method: 'upsert', argument: { customerId: '4711' } },
    })
  })

  test('when somebody is erased, then each system that knew them is told, with nothing but their pseudonym', () => {
    const notice = { person: 'P-1', sealed: { shop: '…', mail: '…' } }
    expect(plan('erase-person', 'PersonErased', notice)).toEqual([{ part: '', entity: null, to: ['shop', 'mail'] }])
    const told = { customerIds: ['4711'] } as unknown as NonNullable<CallContext['notice']>
    expect(called(flowNamed('erase-person'), 'PersonErased', notice, { notice: told, released: RELEASED })).toEqual({
      ...{ port: 'customers', method: 'erase', argument: told },
    })
  })
})
