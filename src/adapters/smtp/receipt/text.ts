import type { Wording } from '../../wording/form.ts'
import type { LineView, ReceiptView } from './view.ts'

const WIDTH = 56

/** The receipt as plain text: the same facts, amounts in a column. */
export function receiptText(view: ReceiptView, words: Wording): string {
  const blocks = [
    [view.storeName, view.storeAddress, labelled(words.organization, view.organizationNumber)],
    [
      view.title,
      labelled(words.number, view.receiptNo),
      labelled(words.order, view.orderNo),
      labelled(words.time, [view.date, view.time].filter(Boolean).join(' ')),
      view.till,
      labelled(words.servedBy, view.salesPerson),
    ],
    view.lines.flatMap((line) => lineText(line, words)),
    [
      inColumns(words.total, view.total),
      view.vatTotal && inColumns(words.vatOfTotal, view.vatTotal),
      view.savings && inColumns(words.savings, view.savings),
    ],
    view.payments.length > 0 ? [words.paidWith, ...view.payments.map((one) => inColumns(one.name, one.amount))] : [],
    view.vatRates.map(({ rate, net, vat }) => inColumns(`${words.vat} ${rate} (${words.net} ${net})`, vat)),
    [labelled(words.openReceipt, view.receiptUrl)],
    [view.title === words.receipt ? words.thanks : ''],
  ]
  const texts = blocks.map((lines) => lines.filter((line) => line !== '').join('\n'))
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`.replace(/[\u00a0\u202f]/g, ' ')
}

function lineText({ name, details, quantity, unitPrice, fullPrice, total }: LineView, words: Wording): string[] {
  const before = fullPrice && ` (${words.before} ${fullPrice})`
  return [details ? `${name}, ${details}` : name, inColumns(`  ${quantity} × ${unitPrice}${before}`, total)]
}

function labelled(label: string, value: string): string {
  return value && `${label}: ${value}`
}

function inColumns(left: string, right: string): string {
  return `${left} ${right.padStart(WIDTH - left.length - 1)}`
}
