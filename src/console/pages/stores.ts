import type { UnsellableReport } from '../../admin/products.ts'
import type { SettlementList } from '../../admin/settlements.ts'
import type { StoreActivity } from '../../admin/stores.ts'
import type { ProductDifference, StockDifference } from '../../domain/catalogue/finding.ts'
import { addDays } from '../../domain/values/instant.ts'
import { type Html, html, NOTHING } from '../html.ts'
import {
  actForm,
  address,
  age,
  answerOr,
  asked,
  badge,
  facts,
  filters,
  firstOf,
  link,
  number,
  said,
  section,
  table,
  time,
  today,
} from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'
import { storeField } from './completeness.ts'
import { listTable } from './settlements.ts'

export const stores: Answer = async (visit) => {
  const { t } = visit
  const { stores: all } = await visit.ask<{ stores: StoreActivity[] }>('GET /stores')
  const columns = [
    {
      head: t('store'),
      cell: (one: StoreActivity) => link(`/stores/${encodeURIComponent(one.storeId)}`, one.number ?? one.storeId),
    },
    { head: t('search.name'), cell: ({ name }: StoreActivity) => name },
    { head: t('state'), cell: (one: StoreActivity) => state(visit, one) },
    { head: t('stores.last'), cell: ({ kinds }: StoreActivity) => age(visit, kinds[0]?.last ?? null) },
    { head: t('kind'), cell: ({ kinds }: StoreActivity) => kinds[0]?.kind ?? null },
    { head: t('stores.zone'), cell: ({ zone }: StoreActivity) => zone },
  ]
  return {
    title: t('stores.title'),
    body: firstOf(visit, all, (rows) => table(t('stores.title'), columns, rows, t('today.no-stores'))),
  }
}

function state({ t }: Visit, { goneAt, inactive }: StoreActivity): Html {
  if (goneAt !== null) return badge('plain', t('stores.gone'))
  return inactive.length > 0 ? badge('bad', t('stores.inactive')) : badge('good', t('state.ok'))
}

export const store: Answer = async (visit) => {
  const { t, params } = visit
  const found = await visit.ask<StoreActivity>('GET /stores/:id', { params })
  const { storeId, number, name, stockId, countryCode, currency, zone, goneAt, kinds, inactive } = found
  const day = today(visit, [found])
  const range = { from: addDays(day, -14), to: day, store: number ?? storeId }
  const came = goneAt === null ? await answerOr(visit.ask<SettlementList>('GET /settlements', { asked: range })) : null
  const columns = [
    { head: t('kind'), cell: ({ kind }: StoreActivity['kinds'][number]) => kind },
    { head: t('stores.last'), cell: ({ last }: StoreActivity['kinds'][number]) => time(visit, last) },
    { head: t('age'), cell: ({ last }: StoreActivity['kinds'][number]) => age(visit, last) },
  ]
  return {
    title: t('stores.one', { name: [number, name].filter(Boolean).join(' ') || storeId }),
    body: html`${inactive.map(({ since, expected }) => said('bad', html`${t('stores.quiet', { n: expected })} ${age(visit, since)}`))}
${facts([
  [t('state'), state(visit, found)],
  [t('id'), storeId],
  [t('stores.stock'), stockId],
  [t('stores.country'), [countryCode, currency].filter(Boolean).join(', ')],
  [t('stores.zone'), zone],
  [t('completeness.title'), link(address('/completeness', { store: number ?? storeId }), t('completeness.marks'))],
])}
${section('kinds', t('stores.kinds'), table(t('stores.kinds'), columns, kinds, t('stores.nothing-yet')))}
${came === null ? NOTHING : section('settlements', t('settlements.came'), came.answer ? listTable(visit, came.answer) : said('wait', came.why))}`,
  }
}

/** What a store cannot sell, and where the platform has something else than it was told. */
export const products: Answer = async (visit) => {
  const { t } = visit
  const given = { asked: asked(visit, 'store') }
  const [unsellable, different] = await Promise.all([
    answerOr(visit.ask<UnsellableReport>('GET /products/unsellable', given)),
    answerOr(visit.ask<{ differences: ProductDifference[] }>('GET /products/differences', given)),
  ])
  const differences = different.answer?.differences ?? []
  return {
    title: t('products.title'),
    body: html`${filters(visit, '/products', [storeField(visit)])}
${said('wait', unsellable.why)}
${section('unsellable', t('products.unsellable'), unsellable.answer && storeTable(visit, unsellable.answer))}
${unsellable.answer?.lists.map((list, nth) => (list.count === 0 ? NOTHING : section(`list-${nth}`, t('products.in-list', { list: list.list }), productTable(visit, list)))) ?? NOTHING}
${section(
  'differences',
  t('products.differences'),
  firstOf(visit, differences, (rows) => productDifferenceTable(visit, rows)),
)}`,
  }
}

function storeTable(visit: Visit, { stores }: UnsellableReport): Html {
  const { t } = visit
  type Row = UnsellableReport['stores'][number]
  const columns = [
    { head: t('store'), cell: ({ store, name }: Row) => [store, name].filter(Boolean).join(' ') },
    { head: t('products.list'), cell: ({ list }: Row) => list ?? t('products.no-list') },
    {
      head: t('products.unsellable'),
      isNumber: true,
      cell: ({ unsellable }: Row) => (unsellable === null ? '' : number(visit, unsellable)),
    },
  ]
  return table(t('products.unsellable'), columns, stores, t('products.not-read'))
}

function productTable(visit: Visit, { list, products: all }: UnsellableReport['lists'][number]): Html {
  const { t } = visit
  type Row = UnsellableReport['lists'][number]['products'][number]
  const columns = [
    { head: t('id'), cell: ({ extId, productId }: Row) => extId ?? productId },
    { head: t('search.number'), cell: ({ number, variant }: Row) => [number, variant].filter(Boolean).join(' ') },
    { head: t('search.name'), cell: ({ name }: Row) => name },
    { head: t('products.since'), cell: ({ since }: Row) => age(visit, since) },
  ]
  return firstOf(visit, all, (rows) => table(t('products.in-list', { list }), columns, rows, ''))
}

function productDifferenceTable(visit: Visit, rows: readonly ProductDifference[]): Html {
  const { t } = visit
  const columns = [
    {
      head: t('id'),
      cell: ({ subject, productName }: ProductDifference) => [subject, productName].filter(Boolean).join(' '),
    },
    { head: t('products.field'), cell: ({ field }: ProductDifference) => field },
    { head: t('products.told'), cell: ({ submitted }: ProductDifference) => submitted },
    { head: t('products.has'), cell: ({ read }: ProductDifference) => read },
    { head: t('products.since'), cell: ({ since }: ProductDifference) => age(visit, since) },
    { head: t('delivery.one'), cell: ({ delivery }: ProductDifference) => link(`/deliveries/${delivery}`, delivery) },
  ]
  return table(t('products.differences'), columns, rows, t('products.no-differences'))
}

/** Where platform, mirror and shops disagree, why, and what waits for approval. */
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
        firstOf(visit, differences, (rows) => stockDifferenceTable(visit, rows)),
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

function stockDifferenceTable({ t }: Visit, rows: readonly StockDifference[]): Html {
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
