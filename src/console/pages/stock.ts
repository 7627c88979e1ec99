import type { StockDifference } from '../../domain/catalogue/finding.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { actForm, address, asked, badge, filters, firstOf, link, number, section, table } from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

/** Where platform, mirror and shops disagree, why, and what waits for somebody's word. */
export const stock: Answer = async (visit) => {
  const { t, query } = visit
  const filter = asked(visit, 'run', 'state')
  const { differences } = await visit.ask<{ differences: StockDifference[] }>('GET /stock/differences', {
    asked: filter,
  })
  const runs = [...Map.groupBy(differences, ({ run }) => run)].sort(([one], [other]) => (one < other ? 1 : -1))
  const waiting = differences.filter(({ run, state }) => run === query.run && state === 'proposed').length
  return {
    title: t('stock.title'),
    body: html`${filters(visit, '/stock', [
      { name: 'run', label: t('stock.run') },
      {
        name: 'state',
        label: t('state'),
        options: [
          ['', t('filter.any')],
          ['proposed', t('stock.proposed')],
          ['corrected', t('stock.corrected')],
        ],
      },
    ])}
${section('runs', t('stock.runs'), runTable(visit, runs))}
${query.run === undefined || waiting === 0 || !visit.may('POST /stock/approve') ? NOTHING : section('approve', t('stock.approve'), html`<p>${t('stock.approve-means', { n: waiting })}</p>${actForm(visit, { route: 'POST /stock/approve', fields: { run: query.run }, words: 'stock.approve', reason: 'required' })}`)}
${
  differences.length === 0
    ? NOTHING
    : section(
        'differences',
        t('stock.differences'),
        firstOf(visit, differences, (rows) => differenceTable(visit, rows)),
      )
}`,
  }
}

function runTable(visit: Visit, runs: [string, StockDifference[]][]): Html {
  const { t } = visit
  const of = (all: StockDifference[], state: StockDifference['state']) =>
    all.filter((one) => one.state === state).length
  const columns = [
    { head: t('stock.run'), cell: ([run]: [string, StockDifference[]]) => link(address('/stock', { run }), run) },
    {
      head: t('stock.proposed'),
      isNumber: true,
      cell: ([, all]: [string, StockDifference[]]) => number(visit, of(all, 'proposed')),
    },
    {
      head: t('stock.corrected'),
      isNumber: true,
      cell: ([, all]: [string, StockDifference[]]) => number(visit, of(all, 'corrected')),
    },
  ]
  return table(t('stock.runs'), columns, runs, t('stock.none'))
}

function differenceTable({ t }: Visit, rows: readonly StockDifference[]): Html {
  const columns = [
    { head: t('stock.article'), cell: ({ gtin, sku }: StockDifference) => [gtin, sku].filter(Boolean).join(' / ') },
    {
      head: t('stock.place'),
      cell: ({ of }: StockDifference) => ('stockId' in of ? of.stockId : `${of.destination} ${of.location}`),
    },
    { head: t('stock.right'), isNumber: true, cell: ({ right }: StockDifference) => right },
    { head: t('stock.found'), isNumber: true, cell: ({ found }: StockDifference) => found },
    { head: t('gaps.cause'), cell: ({ cause }: StockDifference) => t(`stock.cause.${cause}`) },
    { head: t('why'), cell: ({ detail }: StockDifference) => detail },
    {
      head: t('state'),
      cell: ({ state, approved }: StockDifference) =>
        html`${badge(state === 'corrected' ? 'good' : 'wait', t(`stock.${state}`))}${approved ? html` <span class="quiet">${approved.by}</span>` : ''}`,
    },
  ]
  return table(t('stock.differences'), columns, rows, '')
}

export const approve: Answer = async (visit) => {
  const { run = '', reason = '' } = visit.form
  await visit.ask('POST /stock/approve', { asked: { run, reason } })
  return afterAct(visit)
}
