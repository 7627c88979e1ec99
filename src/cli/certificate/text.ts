import type { Certificate, SetSummary } from '../../domain/ledger/certificate/certificate.ts'
import { amountText, money } from '../../domain/values/money.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { table } from '../shared/table.ts'

/** A verdict on a day, in words. */
export const DAY_WORDS = {
  proven: 'Nothing of that day is missing.',
  gaps: 'Something of that day is missing, or was when it was made.',
  unknown: 'Whether something is missing was not known when it was made.',
} as const

/** `Store 101 Oslo City, 2026-11-20`. */
export function titleOf({ store, day }: Pick<Certificate, 'store' | 'day'>): string {
  const { id, number, name } = store
  return `Store ${number ?? id}${name === null ? '' : ` ${name}`}, ${day}`
}

/** `349.10 NOK`, one after the other. */
export function sumText({ sums }: Pick<SetSummary, 'sums'>): string {
  return sums
    .map(({ sum, currency }) => (currency === null ? sum : `${amountText(money(sum, currency))} ${currency}`))
    .join(', ')
}

/** Events that were taken and are not among the rows, as rows of a table. */
export function owedRows({ owed = [] }: Pick<Certificate, 'owed'>): [string, string, string, string][] {
  return owed.map(({ kind, state, count, events, more }) => [
    ...([kind, state, `${count}${more ? ' or more' : ''}`] as const),
    `${events.join(', ')}${events.length > 0 && events.length < count ? ' …' : ''}`,
  ])
}

/** The heading of that table. */
export const OWED_TITLE = 'Taken by the hub, and not among what is listed, as far as it is of that day:'

/** A certificate for a terminal. */
export function certificateText(certificate: Certificate): string {
  const { verdict, sets, settlements, gaps, key } = certificate
  const owed = owedRows(certificate)
  const parts = [
    `${oneLine(titleOf(certificate))}. ${DAY_WORDS[verdict]}`,
    table(
      ['what', 'count', 'sum', 'SHA-256 of the identities'],
      sets.map((one) => [one.set, one.count, sumText(one), one.hash]),
      '',
    ),
    table(
      ['till', 'Z report', 'total', '', 'all ever sold'],
      settlements.map(({ till, number, grandTotal, currency, counter }) => [
        till,
        number,
        grandTotal,
        currency,
        counter,
      ]),
      'No Z report.',
    ),
    ...(owed.length > 0 ? [`${OWED_TITLE}\n${table(['kind', 'it is', 'count', 'events'], owed, '')}`] : []),
    ...(gaps.length > 0
      ? [
          table(
            ['gap', 'kind', 'cause', 'state', 'reason'],
            gaps.map(({ id, kind, cause, state, reason }) => [id, kind, cause, state, reason]),
            '',
          ),
        ]
      : []),
    `Signed with the key ${key.id}.`,
  ]
  return parts.join('\n\n')
}
