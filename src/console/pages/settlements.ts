import type { DeliveryList } from '../../admin/deliveries.ts'
import type { MissingSettlements, SettlementList, SettlementPosting } from '../../admin/settlements.ts'
import type { Journal } from '../../domain/accounting/journal.ts'
import { addDays } from '../../domain/values/instant.ts'
import type { Decimal, Money } from '../../domain/values/money.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedText } from '../mask.ts'
import {
  actForm,
  age,
  answerOr,
  asked,
  badge,
  facts,
  filters,
  firstOf,
  link,
  money,
  said,
  section,
  table,
  today,
} from '../parts.ts'
import { deliveryState } from '../tables.ts'
import type { Answer, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'
import { storeField } from './completeness.ts'

const FLOW = 'book-settlement'

/** Which are not posted, which are missing, and what came. */
export const settlements: Answer = async (visit) => {
  const { t } = visit
  const day = today(visit, visit.stores)
  const range = { from: addDays(day, -7), to: day, ...asked(visit, 'from', 'to', 'store') }
  const ofState = (state: string) =>
    visit.ask<DeliveryList>('GET /deliveries', { asked: { flow: FLOW, state, limit: 100 } })
  const [held, dead, missing, listed] = await Promise.all([
    ofState('held'),
    ofState('dead'),
    answerOr(visit.ask<MissingSettlements>('GET /settlements/missing', { asked: range })),
    answerOr(visit.ask<SettlementList>('GET /settlements', { asked: range })),
  ])
  const open = [...held.deliveries, ...dead.deliveries]
  return {
    title: t('settlements.title'),
    body: html`${filters(visit, '/settlements', [
      { name: 'from', label: t('filter.from'), type: 'date', value: range.from },
      { name: 'to', label: t('filter.to'), type: 'date', value: range.to },
      storeField(visit),
    ])}
${section('open', t('settlements.open'), openTable(visit, open))}
${section('missing', t('settlements.missing'), missing.answer ? missingTable(visit, missing.answer) : said('wait', missing.why))}
${listed.answer ? section('came', t('settlements.came'), listTable(visit, listed.answer)) : NOTHING}`,
  }
}

function openTable(visit: Visit, rows: DeliveryList['deliveries']): Html {
  const { t } = visit
  type Row = DeliveryList['deliveries'][number]
  const columns = [
    { head: t('id'), cell: ({ id }: Row) => link(`/settlements/${id}`, id) },
    { head: t('destination'), cell: ({ destination }: Row) => destination },
    { head: t('state'), cell: (row: Row) => deliveryState(visit, row) },
    { head: t('why'), cell: ({ why, code }: Row) => maskedText(why ?? code ?? '') },
    { head: t('age'), cell: ({ dueAt }: Row) => age(visit, dueAt) },
  ]
  return table(t('settlements.open'), columns, rows, t('settlements.none-open'))
}

function missingTable(visit: Visit, { missing }: MissingSettlements): Html {
  const { t } = visit
  type Row = MissingSettlements['missing'][number]
  const columns = [
    { head: t('day'), cell: ({ day }: Row) => day },
    { head: t('store'), cell: ({ store }: Row) => store },
    { head: t('settlements.pos'), cell: ({ posId }: Row) => posId },
    { head: t('settlements.sales'), isNumber: true, cell: ({ sales }: Row) => sales },
    { head: t('settlements.receipts'), cell: (row: Row) => [row.firstReceipt, row.lastReceipt].join(' – ') },
  ]
  return firstOf(visit, missing, (rows) =>
    table(t('settlements.missing'), columns, rows, t('settlements.none-missing')),
  )
}

export function listTable(visit: Visit, { settlements: all }: SettlementList): Html {
  const { t } = visit
  type Row = SettlementList['settlements'][number]
  const columns = [
    { head: t('day'), cell: ({ day }: Row) => day },
    { head: t('store'), cell: ({ store }: Row) => store },
    { head: t('settlements.pos'), cell: ({ posName, posId }: Row) => posName ?? posId },
    { head: t('settlements.number'), cell: ({ batchNumber }: Row) => batchNumber },
    { head: t('settlements.total'), isNumber: true, cell: (row: Row) => amount(visit, row.grandTotal, row.currency) },
    {
      head: t('settlements.discrepancy'),
      isNumber: true,
      cell: ({ discrepancy, currency }: Row) =>
        discrepancy === null || Number(discrepancy) === 0 ? '0' : badge('wait', amount(visit, discrepancy, currency)),
    },
  ]
  return firstOf(visit, all, (rows) => table(t('settlements.came'), columns, rows, t('settlements.none')))
}

function amount(visit: Visit, value: Decimal | null, currency: string): string {
  return value === null ? '' : money(visit, value, currency)
}

function sum(visit: Visit, of: Money | null | undefined): string | null {
  return of ? money(visit, of.amount, of.currency) : null
}

/** What would be posted, line by line, and whether it balances. */
export const settlement: Answer = async (visit) => {
  const { t, params } = visit
  const { id = '' } = params
  const found = await visit.ask<SettlementPosting>('GET /settlements/:delivery/posting', { params: { delivery: id } })
  const { delivery, settlement: of, journal, difference, why } = found
  const canRelease = delivery.state === 'held' && !delivery.open && visit.may('POST /settlements/:id/release')
  return {
    title: t('settlements.posting', { id: delivery.id }),
    body: html`${journal ? html`<p class="health ${difference === null ? 'good' : 'bad'}">${difference === null ? t('settlements.balances') : t('settlements.unbalanced', { difference })}</p>` : said('wait', why && t('settlements.no-journal', { why }))}
${facts([
  [t('state'), deliveryState(visit, delivery)],
  [t('why'), maskedText(delivery.why ?? '')],
  [t('delivery.one'), link(`/deliveries/${delivery.id}`, `${delivery.id} ${delivery.destination}`)],
  [t('store'), of && [of.storeNo, of.storeName].filter(Boolean).join(' ')],
  [t('settlements.pos'), of && (of.posName ?? of.posId)],
  [t('settlements.number'), of?.batchNumber ?? null],
  [t('settlements.total'), sum(visit, of?.grandTotal)],
  [t('settlements.discrepancy'), sum(visit, of?.discrepancy)],
  [t('settlements.receipts'), of && [of.receiptNoFrom, of.receiptNoTo].filter(Boolean).join(' – ')],
])}
${journal ? section('journal', t('settlements.journal'), journalTable(visit, journal)) : NOTHING}
${canRelease ? section('release', t('act.release'), html`<p>${t('act.release.means')}</p>${actForm(visit, { route: 'POST /settlements/:id/release', params: { id }, words: 'act.release', reason: 'required' })}`) : NOTHING}`,
  }
}

function journalTable(visit: Visit, { lines }: Journal): Html {
  const { t } = visit
  type Row = Journal['lines'][number]
  const on = (isCredit: boolean) => (line: Row) => {
    const { amount: value, currency } = line.amount
    const isNegative = value.startsWith('-')
    return isNegative === isCredit ? money(visit, (isNegative ? value.slice(1) : value) as Decimal, currency) : ''
  }
  const columns = [
    { head: t('settlements.account'), cell: ({ account }: Row) => account },
    { head: t('settlements.text'), cell: ({ text }: Row) => text },
    { head: t('settlements.debit'), isNumber: true, cell: on(false) },
    { head: t('settlements.credit'), isNumber: true, cell: on(true) },
  ]
  return table(t('settlements.journal'), columns, lines, '')
}

/** Of this flow alone: accounting releases nothing else. */
export const releaseSettlement: Answer = async (visit) => {
  const { params, form } = visit
  const filter = { id: Number(params.id), flow: FLOW }
  await visit.ask('POST /deliveries/release', { asked: { filter, reason: form.reason?.trim() || null } })
  return afterAct(visit)
}
