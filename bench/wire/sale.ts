/** Where the number of an event stands in the text of a sale; as wide as what is written over them. */
export const NUMBER = '%NUMBER%%'
export const POS = '%%%POS%%%'

/** What stands before the number in the body, so that a receiver can tell which event arrived. */
export const RECEIPT_PREFIX = 'BENCH-'

const PRINT_LINE = "<Line type='Text'>Thank you for shopping with us</Line>"

/** A SaleCreated as the spec's "Sale payload" has it, padded with print lines to the given number of bytes. */
export function saleText(bytes: number): string {
  const missing = bytes - json('').length
  return json(PRINT_LINE.repeat(Math.ceil(missing / PRINT_LINE.length)).slice(0, missing))
}

/** The POS's id is a number. */
function json(receiptFormatted: string): string {
  return JSON.stringify(sale(receiptFormatted)).replace(`"${POS}"`, `1${POS}`)
}

function sale(receiptFormatted: string) {
  return {
    receiptNo: RECEIPT_PREFIX + NUMBER,
    receiptFormatted,
    receiptUrl: 'https://receipts.example.com/r/7f3c2a',
    orderNo: null,
    createdDateTime: '2026-11-20T14:03:27',
    updatedDateTime: null,
    paymentLines: [
      {
        type: 'Card',
        subType: 'Visa',
        currency: 'NOK',
        currencyTendered: 698,
        txRef: 'tx-48151',
        text: '',
        amount: 698,
      },
    ],
    orderLines: [orderLine('1', '7090012340011', 'M'), orderLine('2', '7090012340028', 'L')],
    store: {
      storeExtId: '101',
      storeName: 'Oslo City',
      organizationNumber: '912345678',
      posId: POS,
      posName: 'POS 1',
      salesPerson: 'Kari',
      currency: 'NOK',
      address: { address1: 'Stenersgata 1', city: 'Oslo', postalCode: '0050', country: 'Norway', countryCode: 'NO' },
    },
    customer: { customerId: 4711, email: '', firstName: '', lastName: '', phoneCountryPrefix: '47', phone: '' },
    vatTotal: 139.6,
    total: 698,
  }
}

function orderLine(rowId: string, gtin: string, size: string) {
  return {
    rowId,
    gtin,
    externalSKU: `TEE-BLK-${size}`,
    brand: 'Nordlys',
    name: 'T-shirt',
    variant: '01',
    number: 10234,
    colour: 'Black',
    size,
    group: 'Tops',
    season: 'AW26',
    quantity: 1,
    price: 349,
    vat: 69.8,
    vatPercent: 0.25,
    fullPrice: 399,
    discount: 50,
    receiptLabel: 'T-shirt black',
    shipFromOnlineStore: false,
    reasons: [],
  }
}
