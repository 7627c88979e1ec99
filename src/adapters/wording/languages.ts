import type { Wording } from './form.ts'

const nb: Wording = {
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
  signature: 'Signatur',
  keyVersion: 'nøkkelversjon',
  someGoods: 'noen av varene',
  someStore: 'butikken',
  payments: { card: 'Kort', cash: 'Kontant', giftcard: 'Gavekort', voucher: 'Tilgodelapp', invoice: 'Faktura' },
  messages: {
    ready: {
      subject: '{{storeName}}: ordre {{orderNo}} er klar',
      title: 'Klar til henting',
      text: 'Ordren din {{orderNo}} ligger klar til deg hos {{storeName}}.',
    },
    collected: {
      subject: '{{storeName}}: ordre {{orderNo}} er hentet',
      title: 'Hentet',
      text: 'Ordren din {{orderNo}} er utlevert hos {{storeName}}. Takk for handelen.',
    },
    declined: {
      subject: '{{storeName}}: varer mangler i ordre {{orderNo}}',
      title: 'Ikke på lager',
      text: 'Beklager: {{storeName}} har ikke {{goods}} i ordren din {{orderNo}}. Har du betalt for det, får du pengene tilbake.',
    },
    expired: {
      subject: '{{storeName}}: ordre {{orderNo}} ble ikke hentet',
      title: 'Ikke hentet i tide',
      text: 'Ordren din {{orderNo}} ble ikke hentet i tide, så varene holdes ikke lenger av til deg. Har du betalt for dem, får du pengene tilbake.',
    },
  },
  texts: {
    receipt: 'Kvittering fra {{store}}, {{total}}: {{link}}',
    shortReceipt: 'Kvittering: {{link}}',
    ready: '{{greeting}} Ordre {{order}} er klar til henting hos {{store}}.',
    collected: '{{greeting}} Ordre {{order}} er utlevert hos {{store}}. Takk for handelen!',
    declined:
      '{{greeting}} Beklager: {{store}} har ikke {{goods}} i ordre {{order}}. Det du har betalt for det, får du tilbake.',
    expired: '{{greeting}} Ordre {{order}} hos {{store}} ble ikke hentet i tide og er avbestilt.',
  },
}

const en: Wording = {
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
  signature: 'Signature',
  keyVersion: 'key version',
  someGoods: 'some of the goods',
  someStore: 'the store',
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
      '{{greeting}} Sorry: {{store}} does not have {{goods}} of order {{order}}. What you paid for it is given back.',
    expired: '{{greeting}} Order {{order}} at {{store}} was not collected in time and is cancelled.',
  },
}

/** The languages that `language` in config may name. */
export const LANGUAGES = ['en', 'nb'] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * A name as a message may greet by it; empty where it is none. Whoever orders online writes it, and may give the address of
 * somebody else: a link in it would be tapped on, for the shop sent it.
 */
export function greetedName(name: string | null): string {
  const line = (name ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_NAME || /[/:@\\<>]|\p{L}\.\p{L}{2}|www\./iu.test(line) ? '' : line
}

const LONGEST_NAME = 100

export const WORDINGS: Readonly<Record<Language, Wording>> = { en, nb }
