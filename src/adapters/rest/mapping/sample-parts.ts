import type { TillOrder } from '../../../domain/orders/order.ts'
import { parseDecimal } from '../../../domain/values/money.ts'

/* What samples are made of. */

export const one = parseDecimal(1)

export const NOK = (amount: string) => ({ amount: parseDecimal(amount), currency: 'NOK' })

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const address = {
  firstName: 'Kari',
  lastName: 'Nordmann',
  address1: 'Storgata 1',
  city: 'Oslo',
  postalCode: '0155',
  country: 'Norway',
  countryCode: 'NO',
}

/** With so many lines and payments. */
export function tillOrder(count: number): TillOrder {
  return {
    number: 'EA-77',
    orderNo: 'EA-77',
    receiptNo: '1002',
    transactionId: 'tx-1',
    comments: times(count, () => 'Gift wrapping, please'),
    contradiction: "The till's sums contradict each other: lines of 349.00 NOK, a total of 300.00 NOK.",
    createdAt: '2026-11-20T14:03:27',
    total: NOK('349'),
    lines: times(count, (index) => ({
      rowId: String(index + 1),
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      name: 'T-shirt',
      brand: 'Nordlys',
      variant: '01',
      color: 'Black',
      size: 'M',
      number: '10234',
      group: 'Tops',
      season: 'AW26',
      imageUrl: 'https://images.example.com/tee.jpg',
      quantity: one,
      unitPrice: NOK('349'),
      total: NOK('349'),
      vat: NOK('69.8'),
      vatRate: parseDecimal('0.25'),
      fullPrice: NOK('399'),
      discount: NOK('50'),
      discountPercent: parseDecimal('0.1253'),
      reasons: times(count, () => 'Damaged'),
      shipFromOnlineStore: true,
    })),
    payments: times(count, () => ({
      type: 'Card',
      subType: 'Visa',
      amount: NOK('349'),
      tendered: NOK('349'),
      transaction: 'tx-1',
      slip: 'Approved',
    })),
    store: {
      number: '101',
      name: 'Oslo City',
      organizationNumber: '999888777',
      posId: '3',
      posName: 'Till 3',
      salesPerson: 'Ola',
      address,
    },
    customer: {
      firstName: 'Kari',
      lastName: 'Nordmann',
      companyName: 'Nordmann AS',
      email: 'kari.nordmann@example.com',
      phone: '+47 91234567',
      number: 'C-9',
      address,
    },
    customerId: '501',
    shippingAddress: address,
    fulfillment: { stockId: '12', stockName: 'Oslo City', posId: '3', personId: '55' },
    shipping: { carrierId: 'bring', carrierService: 'Parcel', rateId: 'rate-9', pickupPointId: 'point-3' },
  }
}
