import { describe, expect, test } from 'vitest'
import { keptAs, keptIn } from '../../hub.ts'
import { order, sale, shareCounter } from '../submissions/given.ts'
import { OWN_SHOP, orderItem, push, saleItem } from './given.ts'

/** The stores of Norway count in NOK, and store 201, in Sweden, in SEK. */
const counter = shareCounter({
  destinations: {
    shop: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' }, country: 'NO' } },
    wide: { adapter: OWN_SHOP, intake: { country: 'NO', currencies: { SEK: '201' } } },
  },
})
const hub = () => counter().hub

const paid = (currency?: string) => ({ paymentLines: [{ amount: 799, ...(currency && { currency }) }] })
const card = (currency: string) => ({ paymentLines: [{ amount: '399.50', currency, type: 'Card' }] })

describe('money of a shop in another currency than the store that it goes to', () => {
  test('a completed order in EUR is held, with both currencies named, and no sale in NOK is made of it', async () => {
    const { body } = await push(hub(), [saleItem('E-1', paid('EUR'))])
    expect(body.status).toBe('quarantined')
    expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('the money is in EUR, and store 101 counts in NOK')
  })

  test('a completed order in the currency of its store is a sale, written in capitals or not', async () => {
    expect((await push(hub(), [saleItem('E-2', paid('nok'))])).body.status).toBe('accepted')
    expect((await push(hub(), [saleItem('E-3', paid())])).body.status).toBe('accepted')
  })

  test('a completed order goes to the store that config names for its currency', async () => {
    const { body } = await push(hub(), [saleItem('E-4', paid('SEK'))], 'wide')
    expect(body.status).toBe('accepted')
    const kept = keptIn(hub()).find(({ id }) => id === body.ids[0])
    expect(JSON.parse(String(kept?.body))).toMatchObject({ storeId: '51', payments: [{ currency: 'SEK' }] })
    const other = await push(hub(), [saleItem('E-5', paid('EUR'))], 'wide')
    expect(keptAs(hub(), other.body.ids[0] ?? 0).problem).toContain('in EUR')
  })

  test('an order for a store, paid or to be paid there, picked up or sent, is held where its currency is another', async () => {
    const home = { shippingAddress: { address1: 'Torget 1', city: 'Bergen', postalCode: '5014', countryCode: 'NO' } }
    for (const [index, more] of [card('EUR'), { currency: 'EUR' }, { ...home, ...card('SEK') }].entries()) {
      const { body } = await push(hub(), [orderItem(`E-1${index}`, more)])
      expect(body.status).toBe('quarantined')
      expect(keptAs(hub(), body.ids[0] ?? 0).problem).toMatch(/the money is in (EUR|SEK), and store 102 counts in NOK/)
    }
    expect((await push(hub(), [orderItem('E-14', { currency: 'NOK', ...card('NOK') })])).body.status).toBe('accepted')
  })

  test('a submission of /v1 in another currency is refused, with both currencies named', async () => {
    for (const [path, body] of [
      ['sales', sale('E-20', paid('EUR'))],
      ['orders', order('E-21', { currency: 'EUR' })],
    ] as const) {
      const answer = await counter().submit(path, body)
      expect(answer.status).toBe(422)
      expect(JSON.stringify(answer.body)).toContain('the money is in EUR, and store 10')
    }
  })
})
