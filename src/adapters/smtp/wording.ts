/** The words of a receipt in one language. */
export interface Wording {
  /** Of the `html` element, and for numbers where the store's country is not known. */
  locale: string
  subject: string
  receipt: string
  returned: string
  /** Before the customer's name. */
  hello: string
  thanks: string
  number: string
  order: string
  time: string
  till: string
  servedBy: string
  organization: string
  articles: string
  amount: string
  before: string
  total: string
  savings: string
  paidWith: string
  vat: string
  vatRate: string
  net: string
  vatOfTotal: string
  openReceipt: string
  /** Above so many lines. */
  moreLines: string
  moreAttached: string
  attachment: string
  /** By the platform's own name of the payment, in lower case; any other is shown as it is. */
  payments: Record<string, string>
}

/** What `language` in config may name. */
export const LANGUAGES = ['en', 'nb'] as const
export type Language = (typeof LANGUAGES)[number]

export const WORDINGS: Record<Language, Wording> = {
  en: {
    locale: 'en-GB',
    subject: '{{storeName}}: receipt {{receiptNo}}',
    receipt: 'Receipt',
    returned: 'Return receipt',
    hello: 'Hello',
    thanks: 'Thank you for shopping with us.',
    number: 'Receipt no.',
    order: 'Order no.',
    time: 'Date',
    till: 'Till',
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
    moreLines: 'more lines.',
    moreAttached: 'All lines are in the attached text file.',
    attachment: 'receipt',
    payments: { card: 'Card', cash: 'Cash', giftcard: 'Gift card', voucher: 'Voucher', invoice: 'Invoice' },
  },
  nb: {
    locale: 'nb-NO',
    subject: '{{storeName}}: kvittering {{receiptNo}}',
    receipt: 'Kvittering',
    returned: 'Returkvittering',
    hello: 'Hei',
    thanks: 'Takk for handelen.',
    number: 'Kvitteringsnr.',
    order: 'Ordrenr.',
    time: 'Dato',
    till: 'Kasse',
    servedBy: 'Betjent av',
    organization: 'Org.nr.',
    articles: 'Varer',
    amount: 'Beløp',
    before: 'før',
    total: 'Totalt',
    savings: 'Du sparte',
    paidWith: 'Betaling',
    vat: 'Mva.',
    vatRate: 'Mva.-sats',
    net: 'Grunnlag',
    vatOfTotal: 'herav mva.',
    openReceipt: 'Åpne kvitteringen på nett',
    moreLines: 'linjer til.',
    moreAttached: 'Alle linjene står i den vedlagte tekstfilen.',
    attachment: 'kvittering',
    payments: { card: 'Kort', cash: 'Kontant', giftcard: 'Gavekort', voucher: 'Tilgodelapp', invoice: 'Faktura' },
  },
}
