export const en = {
  locale: 'en-GB',
  subject: '{{storeName}}: receipt {{receiptNo}}',
  receipt: 'Receipt',
  returned: 'Return receipt',
  hello: 'Hello',
  thanks: 'Thank you for shopping with us.',
  number: 'Receipt no.',
  order: 'Order no.',
  time: 'Date',
  pos: 'pos',
  servedBy: 'Served by',
  organization: 'Org. no.',
  articles: 'Articles',
  amount: 'Amount',
  before: 'before',
  total: 'Total',
  savings: 'You saved',
  paidWith: 'Payment',
  vat: 'VAT',
  vatRate: 'VAT rate',
  net: 'Net',
  vatOfTotal: 'of which VAT',
  openReceipt: 'Open the receipt online',
  someGoods: 'some of the goods',
  someStore: 'the store',
  // Platform names in lower case; others are shown as they are.
  payments: { card: 'Card', cash: 'Cash', giftcard: 'Gift card', voucher: 'Voucher', invoice: 'Invoice' },
  messages: {
    ready: {
      subject: '{{storeName}}: order {{orderNo}} is ready',
      title: 'Ready to collect',
      text: 'Your order {{orderNo}} is waiting for you at {{storeName}}.',
    },
    collected: {
      subject: '{{storeName}}: order {{orderNo}} is collected',
      title: 'Collected',
      text: 'Your order {{orderNo}} was handed over at {{storeName}}. Thank you for shopping with us.',
    },
    declined: {
      subject: '{{storeName}}: goods missing from order {{orderNo}}',
      title: 'Not in stock',
      text: 'We are sorry: {{storeName}} does not have {{goods}} of your order {{orderNo}}. If you have paid for it, you get the money back.',
    },
    expired: {
      subject: '{{storeName}}: order {{orderNo}} was not collected',
      title: 'Not collected in time',
      text: 'Your order {{orderNo}} was not collected in time, so the goods are no longer kept for you. If you have paid for them, you get the money back.',
    },
  },
  texts: {
    receipt: 'Receipt from {{store}}, {{total}}: {{link}}',
    shortReceipt: 'Receipt: {{link}}',
    ready: '{{greeting}} Order {{order}} is ready to collect at {{store}}.',
    collected: '{{greeting}} Order {{order}} was handed over at {{store}}. Thank you!',
    declined:
      '{{greeting}} Sorry: {{store}} does not have {{goods}} of order {{order}}. What you paid for it is refunded.',
    expired: '{{greeting}} Order {{order}} at {{store}} was not collected in time and is cancelled.',
  },
}

type Widened<Words> = { [Name in keyof Words]: Words[Name] extends string ? string : Widened<Words[Name]> }
export type Wording = Widened<Omit<typeof en, 'payments'>> & { payments: Record<string, string> }
