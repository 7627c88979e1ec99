import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import {
  AT_OSLO,
  act,
  again,
  type ConnectedShop,
  callOf,
  lineOf,
  SHIRT,
  startConnected,
  startWithOrder,
  startWithShop,
  VAT,
} from './kit.ts'

type Document = Record<string, unknown>

const NOTHING: unknown[] = [null, '', [], {}, false, [[], []]]

/** Without these an order cannot be executed, or would be another one. */
const NEEDED = ['id', 'number', 'status', 'currency', 'total', 'line_items', 'shipping_lines', 'date_paid']

/** An order of every kind of field: of an account, with VAT, picked up, with a fee and a refund of which no piece is. */
async function startWithPlaced() {
  const it = await startConnected({}, { taxes: VAT })
  const { id } = await it.shop.placeOrder({
    phone: '912 34 567',
    lines: [{ sku: 'TEE-BLK-M', quantity: 2 }],
    shipping: AT_OSLO,
    meta: { gift: 'yes' },
  })
  await eventually(() => it.shop.webhooksSettled())
  const last = it.came.findLast((one) => one.headers['x-wc-webhook-topic'] === 'order.updated')
  if (!last) throw new Error('The shop sent no order.')
  const document = JSON.parse(Buffer.from(last.body).toString()) as Document
  const read = async (changed: Document) =>
    (await it.intake.read?.({ ...last, body: Buffer.from(JSON.stringify(changed)) })) ?? []
  return { it, id, document, read, [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() }
}

/** The same list as an object, as PHP writes a list with a gap. */
const asObject = (list: unknown) => Object.fromEntries((list as unknown[]).map((one, index) => [index * 2, one]))

describe('an order of the shop whose fields are written as PHP and plugins write them', () => {
  test('a field that is not needed may be nothing, in every way that PHP writes it', async () => {
    await using given = await startWithPlaced()
    const { document, read } = given
    const [whole] = await read(document)
    const unneeded = Object.keys(document).filter((field) => !NEEDED.includes(field))
    expect(unneeded.length).toBeGreaterThan(30)
    for (const field of unneeded)
      for (const nothing of NOTHING) {
        const [item, ...others] = await read({ ...document, [field]: nothing })
        const shown = `${field}: ${JSON.stringify(nothing)}`
        expect({ shown, others, resource: item?.resource, faults: item?.faults }).toEqual({
          shown,
          others: [],
          resource: 'orders',
          faults: undefined,
        })
        expect({ shown, lines: item?.value.orderLines }).toEqual({ shown, lines: whole?.value.orderLines })
        expect({ shown, place: item?.place, amount: item?.value.paymentLines }).toMatchObject({
          place: 'Oslo City',
          amount: [{ amount: '698', currency: 'NOK' }],
        })
      }
  })

  test('lists with a gap, text for numbers and numbers for text mean the same', async () => {
    await using given = await startWithPlaced()
    const { document, read } = given
    const [line] = document.line_items as [Document]
    const changed = {
      ...document,
      id: String(document.id),
      number: Number(document.number),
      total: Number(document.total),
      meta_data: asObject(document.meta_data),
      line_items: asObject([
        {
          ...line,
          id: String(line.id),
          quantity: '2',
          price: String(line.price),
          taxes: asObject(line.taxes),
          total_tax: Number(line.total_tax),
          meta_data: [[], []],
        },
      ]),
      shipping_lines: asObject(document.shipping_lines),
      tax_lines: asObject(document.tax_lines),
    }
    expect(await read(changed)).toEqual(await read(document))
  })

  test('a field that is needed and cannot be read is named with its path', async () => {
    await using given = await startWithPlaced()
    const { document, read } = given
    const [line] = document.line_items as [Document]
    const [shipping] = document.shipping_lines as [Document]
    const wrong: [Document, string][] = [
      [{ total: '' }, 'total'],
      [{ total: '12,50' }, 'total'],
      [{ currency: [] }, 'currency'],
      [{ number: null }, 'number'],
      [{ date_paid: { date: '2026-11-27' } }, 'date_paid'],
      [{ line_items: 'none' }, 'line_items'],
      [{ line_items: [{ ...line, quantity: 'two' }] }, 'line_items.0.quantity'],
      [{ line_items: { 1: { ...line, total: '' } } }, 'line_items.1.total'],
      [{ line_items: [{ ...line, total_tax: 'n/a' }] }, 'line_items.0.total_tax'],
      [{ shipping_lines: [{ ...shipping, method_id: { id: 7 } }] }, 'shipping_lines.0.method_id'],
      [{ refunds: [{ reason: 'broken' }] }, 'refunds.0.id'],
    ]
    for (const [change, path] of wrong)
      await expect(read({ ...document, ...change }), path).rejects.toThrow(
        `The webhook order.updated is not as WooCommerce sends it: ${path}.`,
      )
  })

  test('an order that a store is to send and that has no address that can be read is held, and goes to no counter', async () => {
    await using it = await startConnected({ storeMeta: '_store' })
    it.shop.setPlugin((document) =>
      'line_items' in document ? { ...document, billing: [], shipping: null } : document,
    )
    await it.shop.placeOrder({ lines: [SHIRT], meta: { _store: '104' } })
    expect((await it.handedOver()).at(-1)).toMatchObject({
      place: '104',
      faults: [expect.stringContaining('shipping')],
    })
  })

  test('a poll reads such orders, and names what is needed of those that cannot be read', async () => {
    await using it = await startConnected()
    const { id } = await it.shop.placeOrder({
      lines: [SHIRT],
      shipping: AT_OSLO,
    })
    it.shop.setPlugin(odd)
    const signal = new AbortController().signal
    expect((await poll(it, signal)).at(-1)).toMatchObject({ resource: 'orders', theirId: String(id) })
    it.shop.setPlugin((document) => ({ ...document, currency: [] }))
    expect((await poll(it, signal)).at(-1)?.value).toMatchObject({ unreadable: ['currency'] })
  })
})

describe('an answer of the shop whose fields are written as PHP and plugins write them', () => {
  test('an order is created once, paid, and not in doubt', async () => {
    await using it = await startWithShop({ taxes: VAT })
    it.shop.setPlugin(odd)
    const { note } = await it.create()
    expect(note).toContain('349.00 NOK')
    expect(it.order()).toMatchObject({ status: 'processing', total: '349.00' })
    expect(await it.find({ previous: 'open', firstTriedAt: Date.now() - 1_000 })).toMatchObject({
      note: expect.stringContaining('349.00 NOK'),
    })
  })

  test('a refund is made once, with its tax, and not in doubt', async () => {
    await using it = await startWithOrder()
    it.shop.setPlugin(odd)
    const call = callOf.refund(it.number)
    await act(it, call)
    expect(await it.lookOrDo(call)).toBe('found')
    expect(it.order().refunds).toMatchObject([{ amount: '100.00' }])
  })

  test('a refund of a line whose taxes cannot be read is held, and gives nothing back', async () => {
    await using it = await startWithOrder()
    it.shop.setPlugin((document) =>
      'line_items' in document && 'currency' in document
        ? { ...document, line_items: (document.line_items as Document[]).map((line) => ({ ...line, taxes: 'none' })) }
        : document,
    )
    const call = callOf.refund(it.number, 1, lineOf())
    await expect(act(it, call, again())).rejects.toMatchObject({ code: 'unreadable-order' })
    expect(it.order().refunds).toEqual([])
  })
})

/** Whatever may be a list is an object, and whatever may be an object is a list. */
function odd(document: Document): Document {
  const isOf = (field: string) => Array.isArray(document[field]) && (document[field] as unknown[]).length > 0
  const lists = ['meta_data', 'line_items', 'shipping_lines', 'fee_lines', 'tax_lines', 'refunds'].filter(isOf)
  return {
    ...document,
    ...('shipping' in document && { shipping: null }),
    ...('coupon_lines' in document && { coupon_lines: '' }),
    ...('parent_id' in document && { parent_id: String(document.parent_id) }),
    ...Object.fromEntries(
      lists.map((field) => [field, asObject((document[field] as Document[]).map((line) => oddLine(line)))]),
    ),
  }
}

function oddLine(line: Document): Document {
  const isLine = 'taxes' in line
  return isLine
    ? {
        ...line,
        ...('quantity' in line && { quantity: String(line.quantity) }),
        ...((line.taxes as unknown[]).length > 0
          ? { taxes: asObject(line.taxes) }
          : { taxes: [[], []], total_tax: '' }),
        meta_data: asObject(line.meta_data),
        image: [],
        parent_name: false,
      }
    : line
}

async function poll(it: ConnectedShop, signal: AbortSignal) {
  return (await it.intake.poll?.(null, { signal }))?.items ?? []
}

test('an order of a POS that a plugin of the shop gives another currency is left unpaid, with both currencies named', async () => {
  await using it = await startWithShop()
  it.shop.setPlugin((document) => ('currency' in document ? { ...document, currency: 'EUR' } : document))
  const named = expect.objectContaining({
    code: 'other-currency',
    message: expect.stringMatching(/the money is in NOK, and order \d+ of the shop counts in EUR/),
  })
  await expect(it.create()).rejects.toEqual(named)
  expect(it.order().status).toBe('pending')
  await expect(it.find({ previous: 'open', firstTriedAt: Date.now() - 1_000 })).rejects.toEqual(named)
})
