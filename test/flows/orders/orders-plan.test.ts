import { describe, expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { CallContext } from '../../../src/flows/flow.ts'
import {
  endlessAisle,
  type Given,
  orderUpdate,
  refundUpdate,
  sale,
  saleLine,
  shippedOrderUpdate,
} from '../../fixtures/payloads.ts'
import { ARTICLE, asking, called, flowNamed, planned, RELEASED } from '../plan-kit.ts'

const UPDATED = 'OmniChannelOrderUpdated'
const FULFILLED = 'OmniChannelOrderFulfilled'
const REFUND = 'OmniChannelOrderRefundUpdated'
const POS_ORDER = 'OmniChannelEndlessAisleOrderCreated'

const plan = (name: string, kind: string, payload: object) => flowNamed(name).plan(planned(kind, payload))
const proves = (name: string, kind: string, payload: object) => flowNamed(name).proves?.(planned(kind, payload))
const held = (code: string, message: RegExp) =>
  expect.objectContaining({ name: 'HeldError', code, message: expect.stringMatching(message) })
const bad = (message: string) => expect.objectContaining({ name: 'PermanentError', code: 'bad-order', message })

/** Order A1 without an id of the platform's, so that facts have its number alone. */
const order = (given: Given = {}) => orderUpdate({ id: null, ...given })
const parcelsOf = (...shipments: object[]) => ({ ...orderUpdate().order.fulfillmentLocation, shipments })

describe('an order of a POS', () => {
  const make = (payload: object, known: Partial<CallContext> = {}) =>
    called(flowNamed('create-order'), POS_ORDER, payload, known)

  test('when it is made, then in a line of its own by its number, and the shop gets its goods', () => {
    expect(plan('create-order', POS_ORDER, endlessAisle())).toEqual([{ part: '', entity: 'order:EA-77/made' }])
    expect(plan('create-order', POS_ORDER, endlessAisle({ orderNo: null }))).toEqual([{ part: '', entity: 'it' }])
    expect(make(endlessAisle())).toMatchObject({
      ...{ port: 'orders', method: 'create', argument: { number: 'EA-77', lines: [{ gtin: ARTICLE }] } },
    })
  })

  test('when goods that it has came back before it, then a person is asked whose they were; other goods are no matter', () => {
    const back = (key: string) => [`order/EA-77/returned/r%2F1/${key}/1`]
    const message = /came back under its number EA-77, and the shop did what the refund r\/1 says/
    for (const key of ['1', ARTICLE])
      expect(() => make(endlessAisle(), { prior: back(key) })).toThrow(held('ambiguous-order', message))
    expect(make(endlessAisle(), { prior: back('7090012349999') })).toMatchObject({ method: 'create' })
    expect(make(endlessAisle(), { prior: back('1'), released: RELEASED })).toMatchObject({ method: 'create' })
  })

  test('when it has articles of which none is to be sent, then only a person lets it go without them', () => {
    const lines = [
      saleLine({ shipFromOnlineStore: true }),
      saleLine({ rowId: '2', shipFromOnlineStore: true, quantity: 0 }),
    ]
    const partly = endlessAisle({ orderLines: lines })
    expect(() => make(partly)).toThrow(held('not-in-pieces', /nothing is to be sent/))
    expect(make(partly, { released: RELEASED })).toMatchObject({ argument: { lines: [{ rowId: '1' }] } })
  })

  test('when it asks what was done before, then about what came back under its number; without one about nothing', async () => {
    const asked: unknown[] = []
    const effectsOf = async (state: string, beginning: string) => {
      asked.push([state, beginning])
      return ['order/EA-77/returned/r1/1/1']
    }
    const ask = (given: Given) =>
      asking(flowNamed('create-order'), 'priorEffects', planned(POS_ORDER, endlessAisle(given)), '', { effectsOf })
        .verdict
    expect(await ask({})).toEqual({ known: { prior: ['order/EA-77/returned/r1/1/1'] } })
    expect(await ask({ orderNo: null })).toEqual({ known: { prior: [] } })
    expect(asked).toEqual([['delivered', 'order/EA-77/returned/']])
  })

  test('when the platform’s log does not know it, then the operator reads of which sale', async () => {
    const verifier = { order: async () => null, knowsOrders: async () => true, sent: async () => [] }
    const ask = (given: Given) =>
      asking(
        ...([flowNamed('create-order'), 'verifyWithPlatform', planned(POS_ORDER, endlessAisle(given)), ''] as const),
        { orders: { verifier } },
        { tries: 2 },
      ).verdict
    await expect(ask({})).rejects.toThrow('the platform does not know the sale of order EA-77: its event log')
    await expect(ask({ orderNo: null })).rejects.toThrow('the sale of order 1002')
  })

  test('when a basket is saved, then it is a draft by its number; without goods it cannot be made', () => {
    const KIND = 'SavedForOnlineCheckoutCreated'
    const draft = (given: Given) => called(flowNamed('draft-order'), KIND, { ...sale(), orderNo: 'B-1', ...given })
    expect(plan('draft-order', KIND, {})).toEqual([{ part: '', entity: 'it' }])
    expect(draft({})).toMatchObject({ port: 'orders', method: 'draft', argument: { number: 'B-1' } })
    expect(() => draft({ orderLines: [saleLine({ quantity: 0 })] })).toThrow(held('not-in-pieces', /has no goods/))
    const partly = { ...sale({ orderNo: 'B-1', orderLines: [saleLine(), saleLine({ rowId: '2', quantity: 0 })] }) }
    expect(() => called(flowNamed('draft-order'), KIND, partly)).toThrow(held('not-in-pieces', /is to be sent/))
    expect(called(flowNamed('draft-order'), KIND, partly, { released: RELEASED })).toMatchObject({ method: 'draft' })
  })
})

describe('an order of the shop', () => {
  test('when it is submitted, changed and cancelled, then none of these goes out after its end', () => {
    const A1 = { orderNo: 'A1' }
    expect(plan('submit-order', 'OrderSubmitted', A1)).toEqual([
      { part: '', entity: 'it', effect: 'order/A1/placed', unless: ['order/A1/cancelled'] },
    ])
    expect(plan('change-order', 'OrderChangeSubmitted', A1)).toEqual([
      { part: '', entity: 'it', unless: ['order/A1/cancelled'], version: null },
    ])
    expect(plan('cancel-order', 'OrderCancelSubmitted', A1)).toEqual([{ part: '', entity: 'it' }])
    expect(proves('cancel-order', 'OrderCancelSubmitted', A1)).toEqual(['order/A1/cancelled'])
  })

  test('when it was called off before any store had it, then nobody is told, and that is known', () => {
    expect(plan('cancel-order', 'OrderCalledOff', { orderNo: 'A1' })).toEqual([])
    expect(proves('cancel-order', 'OrderCalledOff', { orderNo: 'A1' })).toEqual(['order/A1/never-placed'])
    expect(proves('cancel-order', 'OrderCalledOff', {})).toEqual([])
  })
})

describe('parcels', () => {
  const whole = { id: 'S-1', items: [{ gtin: ARTICLE }] }
  const ship = (payload: object, part = 'S-1', known: Partial<CallContext> = {}) =>
    called(flowNamed('create-shipment'), UPDATED, payload, known, part)
  const with_ = (...shipments: object[]) => order({ status: 'Shipped', fulfillmentLocation: parcelsOf(...shipments) })

  test('when a parcel is sent, then the shop hears of that one alone, article by article', () => {
    const other = { id: 'S-2', items: [{ gtin: '7090012349999' }] }
    const two = { id: 'S-1', items: [{ gtin: ARTICLE }, { gtin: ARTICLE }, { gtin: '7090012349999' }] }
    expect(ship(with_(other, two))).toMatchObject({
      ...{ port: 'orders', method: 'ship' },
      argument: {
        parcel: {
          id: 'S-1',
          items: [
            { gtin: ARTICLE, quantity: '2' },
            { gtin: '7090012349999', quantity: '1' },
          ],
        },
      },
    })
    const [first, second] = plan(
      'create-shipment',
      UPDATED,
      with_(two, { ...two, id: 'S-2', items: two.items.toReversed() }),
    )
    expect(first?.effect?.split('/').at(-1)).toBe(second?.effect?.split('/').at(-1))
    expect(first?.effect).toMatch(/^order\/A1\/packed\/S-1\/[0-9a-f]{12}$/)
  })

  test('when it cannot be read, or is not there, then the operator reads which', () => {
    const message = 'the order lacks the id or the contents of the parcel S-1'
    expect(() => ship(with_({ id: 'S-1', items: [] }))).toThrow(bad(message))
    expect(() => ship(with_(whole, { id: 'S-1', items: [] }), 'S-1', { released: RELEASED })).toThrow(bad(message))
    expect(() => ship(with_(whole), 'S-9')).toThrow(bad('the order lacks shipments'))
    expect(() => ship(order(), 'S-9')).toThrow(bad('the order lacks shipments'))
  })

  test('when it says otherwise than before, then that is a contradiction for a person', () => {
    const more = { id: 'S-1', items: [{ gtin: ARTICLE }, { gtin: ARTICLE }] }
    expect(() => ship(with_(whole, more))).toThrow(held('contradiction', /named several times/))
    const before = { prior: ['order/A1/packed/S-1/abc'] }
    expect(() => ship(with_(whole), 'S-1', before)).toThrow(held('contradiction', /announced before/))
  })

  test('when an order is over, and goods of it are in none of its parcels, then a person is told half an hour later, if that is so still', () => {
    const [line] = orderUpdate().order.orderLines
    const lines = [line, { ...line, rowId: '2', gtin: '7090012349999', quantity: 2 }]
    const given = { status: 'Shipped', orderLines: lines, fulfillmentLocation: parcelsOf(whole) }
    const late = (more: Given, kind = UPDATED) => plan('goods-unpacked', kind, order({ ...given, ...more }))
    const step = {
      part: '',
      entity: null,
      effect: 'order/A1/unpacked',
      unless: ['order/A1/all-packed'],
      notBefore: 30 * 60_000,
    }
    expect(late({})).toEqual([step])
    expect(late({ status: 'Picked' })).toEqual([])
    expect(late({ status: 'Picked' }, FULFILLED)).toEqual([step])
    expect(late({ orderLines: [line] })).toEqual([])
    expect(late({ fulfillmentLocation: parcelsOf(whole, { id: 'S-2', items: null }) })).toEqual([])
    expect(late({ fulfillmentLocation: parcelsOf() })).toEqual([])
    expect(proves('goods-unpacked', UPDATED, order({ ...given, orderLines: [line] }))).toEqual(['order/A1/all-packed'])
    expect(proves('goods-unpacked', UPDATED, order(given))).toEqual([])
    const tell = (known: Partial<CallContext>) => called(flowNamed('goods-unpacked'), UPDATED, order(given), known)
    expect(() => tell({})).toThrow(
      held('goods-unpacked', /^order A1 is Shipped, .*in none of its parcels \(S-1\): 2 × 7090012349999\. /),
    )
    expect(tell({ released: RELEASED })).toBeNull()
    const more = [...lines, { ...line, rowId: '3', gtin: '7090012340028' }]
    const two = order({ ...given, orderLines: more, fulfillmentLocation: parcelsOf(whole, { ...whole, id: 'S-2' }) })
    expect(() => called(flowNamed('goods-unpacked'), UPDATED, two)).toThrow(
      'in none of its parcels (S-1, S-2): 2 × 7090012349999, 1 × 7090012340028.',
    )
  })
})

describe('an order that a customer fetches', () => {
  const known = { isSent: false }

  test.each([
    ['order-ready', order(), 'ready'],
    ['order-collected', order({ status: 'Shipped' }), 'collected'],
  ])('when %s is due, then the shop is told if it is fetched, not if it is sent', (name, payload, method) => {
    const tell = (more: Partial<CallContext>) => called(flowNamed(name), UPDATED, payload, more)
    expect(tell(known)).toMatchObject({ port: 'orders', method, argument: { number: 'A1' } })
    expect(tell({ isSent: true })).toBeNull()
    expect(tell({ isSent: true, released: RELEASED })).toMatchObject({ method })
    expect(tell({})).toMatchObject({ method })
  })

  test('when it lists no parcels, and nobody knows whether it is fetched, then a person is asked', () => {
    const unlisted = order({ status: 'Shipped', fulfillmentLocation: parcelsOf() })
    const message = /^the platform lists no parcels of order A1, and neither/
    expect(() => called(flowNamed('order-collected'), UPDATED, unlisted)).toThrow(held('fetched-or-sent', message))
    expect(called(flowNamed('order-collected'), UPDATED, unlisted, known)).toMatchObject({ method: 'collected' })
  })

  test.each<[string, object, string[]]>([
    [
      'no parcels listed',
      order({ status: 'Shipped', fulfillmentLocation: parcelsOf() }),
      ['isSubmittedToShip', 'isSentByRecord'],
    ],
    ['no list of parcels', order({ status: 'Shipped' }), ['isSubmittedToShip']],
    ['parcels', shippedOrderUpdate({ status: 'Shipped' }), []],
  ])('when it has %s, then that decides who is asked whether it is sent', async (_, payload, questions) => {
    const { asked, verdict } = asking(flowNamed('order-collected'), 'shipping', planned(UPDATED, payload))
    await verdict
    expect(asked).toEqual(questions)
  })

  test('when the shop submitted it, then that says whether it is sent, and the platform is not asked', async () => {
    const unlisted = order({ status: 'Shipped', fulfillmentLocation: parcelsOf() })
    const ask = (isSent: boolean | null, byRecord: boolean | null = null) =>
      asking(flowNamed('order-collected'), 'shipping', planned(UPDATED, unlisted), '', {
        orders: { isSubmittedToShip: async () => isSent, isSentByRecord: async () => byRecord },
      }).verdict
    expect(await ask(false, true)).toEqual({ known: { isSent: false } })
    expect(await ask(null, true)).toEqual({ known: { isSent: true } })
  })

  test('when lines of it were declined, then that is asked by both of its names', async () => {
    const beginnings: string[] = []
    const effectsOf = async (_: string, beginning: string) => {
      beginnings.push(beginning)
      return []
    }
    for (const id of [null, 'one'])
      await asking(flowNamed('order-collected'), 'priorEffects', planned(UPDATED, order({ id })), '', { effectsOf })
        .verdict
    expect(beginnings).toEqual(['order/A1/declined/', 'order/A1@one/declined/', 'order/A1/declined/'])
  })

  test('when it is collected after it was called expired, then a person is asked, and reads why', async () => {
    const { verdict } = asking(
      ...([flowNamed('order-collected'), 'stillTrue', planned(UPDATED, order({ status: 'Shipped' })), ''] as const),
      ...([{}, {}, {}, { invalidated: 5 }] as const),
    )
    await expect(verdict).rejects.toThrow(/^event 5 contradicts it: the store says that the customer has order A1/)
  })

  test.each<[string, string[]]>([
    ['Picked', ['order/A1/placed']],
    ['Returned', ['order/A1/placed']],
    ['Shipped', ['order/A1/placed', 'order/A1/collected']],
    ['Rejected', ['order/A1/placed', 'order/A1/rejected']],
    ['Expired', ['order/A1/placed', 'order/A1/expired']],
    ['Teleported', []],
  ])('when it is called %s, then that proves what it says, and no more', (status, facts) => {
    expect(proves('order-collected', UPDATED, order({ status }))).toEqual(facts)
    expect(proves('order-collected', UPDATED, {})).toEqual([])
  })

  test('when it says of no line what became of it, then it is ready; when all were declined, it is not', () => {
    const [line] = orderUpdate().order.orderLines
    expect(plan('order-ready', UPDATED, order({ orderLines: [] }))).toHaveLength(1)
    expect(plan('order-ready', UPDATED, order({ orderLines: [{ ...line, status: 'Declined' }] }))).toEqual([])
    expect(
      plan('order-ready', UPDATED, order({ orderLines: [line, { ...line, rowId: '2', status: 'Declined' }] })),
    ).toHaveLength(1)
    expect(plan('order-ready', FULFILLED, order())).toEqual([])
  })
})

describe('goods that a store declines', () => {
  const [line] = orderUpdate().order.orderLines
  const off = { ...line, quantity: 3, status: 'Declined' }
  const decline = (orderLines: object[], part: string, known: Partial<CallContext> = {}) =>
    called(flowNamed('decline-goods'), UPDATED, order({ orderLines }), known, part)

  test('when the shop was told of some, then it is told of the rest alone', () => {
    expect(decline([off], '1')).toMatchObject({
      ...{
        port: 'orders',
        method: 'decline',
        argument: { line: { key: '1' }, quantity: '3', order: { number: 'A1' } },
      },
    })
    expect(decline([off], '1', { reported: parseDecimal(1) })).toMatchObject({ argument: { quantity: '2' } })
    for (const reported of [3, 4]) expect(decline([off], '1', { reported: parseDecimal(reported) })).toBeNull()
  })

  test('when a line or its quantity cannot be read, then the operator reads which', () => {
    expect(() => decline([off], '2')).toThrow(bad('the order lacks the line 2'))
    expect(() => decline([{ ...off, quantity: 0 }], '1')).toThrow(
      bad('the order lacks a quantity above 0 in the line 1'),
    )
    expect(() => called(flowNamed('decline-goods'), UPDATED, {}, {}, '1')).toThrow(
      bad('the order lacks orderNo or status'),
    )
  })

  test('when rows of the same article are declined, then what the shop was told is counted by row and by article', async () => {
    const orderLines = [off, { ...off, rowId: '2', quantity: 1 }, { ...off, rowId: '3', gtin: '7090012349999' }]
    const skipped: string[] = []
    const effectsOf = async (state: string, beginning: string) => {
      skipped.push(`${state} ${beginning}`)
      return []
    }
    const countOf = async (id: string | null) => {
      const ids: string[] = []
      const links = async (_: string, kind: string, asked: readonly string[]) => {
        ids.push(...asked.map((one) => `${kind} ${one}`))
        return []
      }
      const { verdict } = asking(
        ...([
          flowNamed('decline-goods'),
          'remainingQuantity',
          planned(UPDATED, order({ orderLines, id })),
          '1',
        ] as const),
        { links, effectsOf },
      )
      return [await verdict, ids] as const
    }
    const kept = (id: string, theirId: string, kind = 'declined') => ({
      destination: 'bus',
      kind,
      id,
      theirId,
      isLevel: true,
    })
    expect(await countOf(null)).toEqual([
      { known: { reported: '0', paid: false }, kept: [kept('A1/1', '3'), kept(`A1/${ARTICLE}`, '1', 'declined-as')] },
      ['declined A1/1', `declined-as A1/${ARTICLE}`, 'paid A1/1'],
    ])
    expect((await countOf('one'))[1]).toEqual([
      ...['declined A1/@one/1', 'declined A1/1', `declined-as A1/@one/${ARTICLE}`, `declined-as A1/${ARTICLE}`],
      'paid A1/@one/1',
    ])
    const numbered = 'skipped order/A1/declined/1/'
    expect(skipped).toEqual([numbered, 'skipped order/A1@one/declined/1/', numbered])
  })
})

describe('an order that nobody fetched', () => {
  test('when it is called expired, then the shop calls it off with its lines; by its reservation, it has none', () => {
    const RELEASE = { extId: 'A1', gtin: ARTICLE, status: 'Expired' }
    const step = { part: '', entity: 'order:A1', effect: 'order/A1/called-off', unless: ['order/A1/collected'] }
    expect(plan('order-expired', UPDATED, order({ status: 'Expired' }))).toEqual([step])
    expect(plan('order-expired', 'StockReservationExpired', RELEASE)).toEqual([step])
    expect(plan('order-expired', UPDATED, order())).toEqual([])
    const call = (kind: string, payload: object) => called(flowNamed('order-expired'), kind, payload)
    expect(call(UPDATED, order({ status: 'Expired' }))).toMatchObject({
      ...{ port: 'orders', method: 'expire', argument: { number: 'A1', lines: [{ key: '1' }] } },
    })
    expect(call('StockReservationExpired', RELEASE)).toEqual({
      ...{ port: 'orders', method: 'expire', argument: { number: 'A1', lines: [] } },
    })
    expect(() => call('StockReservationExpired', { ...RELEASE, status: 'Released' })).toThrow(
      bad('the order lacks orderNo'),
    )
    expect(proves('order-expired', 'StockReservationExpired', RELEASE)).toEqual(['order/A1/expired'])
    expect(proves('order-expired', 'StockReservationExpired', { ...RELEASE, status: 'Released' })).toEqual([])
    expect(proves('order-expired', UPDATED, order({ status: 'Expired' }))).toEqual([])
  })
})

describe('a refund whose words are not known', () => {
  const [row] = refundUpdate().refund.orderLines
  const odd = (given: Given) => refundUpdate({ id: 'r1', ...given })
  const refund = (payload: object, known: Partial<CallContext> = {}, part = ARTICLE) =>
    called(flowNamed('refund-goods'), REFUND, payload, known, part)

  test('when goods are not called returned, then a person is asked, and later news is not held up', () => {
    expect(plan('refund-goods', REFUND, odd({}))).toMatchObject([
      { entity: 'order:A1', effect: `order/A1/returned/r1/${ARTICLE}/1` },
    ])
    for (const given of [{ status: 'Perhaps' }, { orderLines: [{ ...row, status: 'Perhaps' }] }]) {
      const effect = `order/A1/returned/r1/${ARTICLE}/doubtful%201`
      expect(plan('refund-goods', REFUND, odd(given))).toMatchObject([{ entity: null, effect }])
      expect(() => refund(odd(given))).toThrow(
        held('unknown-word', /is called Perhaps, not Returned: whether goods came back/),
      )
      expect(refund(odd(given), { released: RELEASED })).toMatchObject({ port: 'orders', method: 'refund' })
    }
    expect(plan('refund-goods', REFUND, odd({ orderLines: [{ ...row, quantity: null }] }))).toMatchObject([
      { effect: `order/A1/returned/r1/${ARTICLE}/unread` },
    ])
  })

  test('when the shop pays, then that is kept for the note of another; a note keeps none', async () => {
    const kindsOf = async (name: string, isRefunded: boolean) => {
      const said = await asking(flowNamed(name), 'remainingQuantity', planned(REFUND, odd({ isRefunded })), ARTICLE)
        .verdict
      return said && 'kept' in said ? said.kept?.map(({ kind, id }) => `${kind} ${id}`) : null
    }
    const counted = [`returned A1/r1/${ARTICLE}`, `returned-as A1/r1/${ARTICLE}`]
    expect(await kindsOf('refund-goods', false)).toEqual([`paid A1/r1/${ARTICLE}`, ...counted])
    expect(await kindsOf('note-refund', true)).toEqual(counted)
    const twice = () =>
      called(
        flowNamed('note-refund'),
        REFUND,
        odd({ isRefunded: true }),
        { reported: parseDecimal(1), paid: true },
        ARTICLE,
      )
    expect(twice).toThrow(held('contradiction', /given the money of refund r1 back/))
  })

  const unread = (payload: object, kind = REFUND) => {
    const [step] = plan('order-unread', kind, payload)
    const tell = (known: Partial<CallContext> = {}) =>
      called(flowNamed('order-unread'), kind, payload, known, step?.part ?? 'none')
    return { step, tell }
  }

  test.each<[string, object, string, object, RegExp]>([
    [
      'it names no goods, and the POS has paid',
      odd({ orderLines: [], isRefunded: true }),
      REFUND,
      { part: 'no-goods-paid', effect: 'order/A1/unread/r1%20no-goods-paid' },
      /^the refund r1 of order A1 names no goods, and the POS has given the money back: what that means/,
    ],
    [
      'it names no goods, and the shop must pay',
      odd({ orderLines: [] }),
      REFUND,
      { part: 'no-goods-pending', effect: 'order/A1/unread/r1%20no-goods-pending' },
      /and the shop must give the money back/,
    ],
    [
      'it lacks its id',
      refundUpdate({ id: null }),
      REFUND,
      { part: 'lacking' },
      /^the refund lacks orderNo, id, or isRefunded/,
    ],
    [
      'an order lacks its number',
      order({ orderNo: null }),
      UPDATED,
      { part: 'lacking' },
      /^the order lacks orderNo or status/,
    ],
    [
      'the status of an order is unknown',
      order({ status: 'Odd' }),
      UPDATED,
      { part: 'Odd', effect: 'order/A1/unread/Odd' },
      /^the status of order A1 is called Odd, which the hub does not know/,
    ],
    [
      'the status of a line is unknown',
      order({ status: 'Picked', orderLines: [{ ...orderUpdate().order.orderLines[0], status: 'Odd' }] }),
      UPDATED,
      { part: 'Odd' },
      /^a line of order A1 is called Odd/,
    ],
    [
      'that of a line of a fulfilled order',
      order({ status: 'Strange', orderLines: [{ ...orderUpdate().order.orderLines[0], status: 'Odd' }] }),
      FULFILLED,
      { part: 'Odd' },
      /^a line of order A1 is called Odd/,
    ],
  ])('when %s, then a person reads so, and nothing waits for that', (_, payload, kind, step, why) => {
    const said = unread(payload, kind)
    expect(said.step).toMatchObject({ entity: null, ...step })
    expect(() => said.tell()).toThrow(held('unknown-word', why))
    expect(said.tell({ released: RELEASED })).toBeNull()
  })

  test('when all of it can be read, then nobody is asked; nor when a later version of the hub can', () => {
    expect(unread(odd({})).step).toBeUndefined()
    expect(unread(odd({})).tell()).toBeNull()
    expect(unread(order(), UPDATED).step).toBeUndefined()
    expect(plan('order-unread', FULFILLED, order({ status: 'Strange' }))).toEqual([])
  })
})

describe('what the platform is asked before a step goes out', () => {
  const [row] = refundUpdate().refund.orderLines
  const [line] = orderUpdate().order.orderLines
  const packed = shippedOrderUpdate({ id: null, status: 'Shipped' })

  test.each<[string, string, object, string, RegExp]>([
    ['create-shipment', UPDATED, packed, 'S-1', /record of order A1 has no parcel S-1/],
    ['order-collected', UPDATED, order({ status: 'Shipped' }), '', /order A1 is UnHandled, not Shipped/],
    ['order-ready', UPDATED, order(), '', /order A1 is UnHandled, not Picked/],
    ['decline-goods', UPDATED, order({ orderLines: [{ ...line, status: 'Declined' }] }), '1', /order A1/],
    ['order-expired', UPDATED, order({ status: 'Expired' }), '', /order A1 is UnHandled, not Expired/],
    [
      'refund-goods',
      REFUND,
      refundUpdate({ id: 'r1', orderLines: [row] }),
      ARTICLE,
      /does not know the refund r1 of order A1/,
    ],
    [
      'note-refund',
      REFUND,
      refundUpdate({ id: 'r1', isRefunded: true }),
      ARTICLE,
      /does not know the refund r1 of order A1/,
    ],
  ])(
    'when %s of a %s is not so on its record, then a person reads what was looked for',
    async (name, kind, payload, part, why) => {
      const record = { status: 'UnHandled', lines: [], parcels: [], isSent: null }
      const verifier = { order: async () => record, knowsOrders: async () => true, sent: async () => [] }
      const ask = asking(
        ...([flowNamed(name), 'verifyWithPlatform', planned(kind, payload), part] as const),
        ...([{ orders: { verifier } }, { tries: 2 }] as const),
      )
      await expect(ask.verdict).rejects.toMatchObject({ code: 'not-verified', message: expect.stringMatching(why) })
    },
  )

  test.each(['order-ready', 'order-collected', 'decline-goods', 'create-shipment'])(
    'when %s is due before its order is made there, then it waits for that',
    async (name) => {
      const asked: unknown[] = []
      const deliveries = async ({ entity }: { entity?: string }) => {
        asked.push(entity)
        return []
      }
      await asking(flowNamed(name), 'dependsOn', planned(UPDATED, packed), '', { deliveries }).verdict
      expect(asked).toEqual(['order:A1/made'])
    },
  )

  test('when a reservation that did not run out is looked at, then it is of no order, and waits for none', async () => {
    const released = planned('StockReservationExpired', { extId: 'A1', status: 'Released' })
    const { asked, verdict } = asking(flowNamed('order-expired'), 'dependsOn', released)
    expect([await verdict, asked]).toEqual([null, []])
  })
})
