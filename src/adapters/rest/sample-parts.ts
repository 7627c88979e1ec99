import { parseDecimal } from '../../domain/money.ts'
import type { TillOrder } from '../../domain/order.ts'

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
    receiptNo: '1002',
    transactionId: 'tx-1',
    createdAt: '2026-11-20T14:03:27',
    total: NOK('349'),
    lines: times(count, (index) => ({
      rowId: String(index + 1),
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      name: 'T-shirt',
      brand: 'Nordlys',
      color: 'Black',
      size: 'M',
      imageUrl: 'https://images.example.com/tee.jpg',
      quantity: one,
      unitPrice: NOK('349'),
      total: NOK('349'),
      vat: NOK('69.8'),
      vatRate: parseDecimal('0.25'),
      fullPrice: NOK('399'),
      shipFromOnlineStore: true,
    })),
    payments: times(count, () => ({ type: 'Card', subType: 'Visa', amount: NOK('349'), transaction: 'tx-1' })),
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
    shippingAddress: address,
    shipping: { carrierId: 'bring', carrierService: 'Parcel', rateId: 'rate-9', pickupPointId: 'point-3' },
  }
}
