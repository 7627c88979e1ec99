import type { UnsellableReport } from '../../admin/products.ts'
import type { ProductDifference } from '../../domain/catalogue/finding.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { age, answerOr, asked, filters, firstOf, link, number, said, section, table } from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'
import { storeField } from './completeness.ts'

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
  firstOf(visit, differences, (rows) => differenceTable(visit, rows)),
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

function differenceTable(visit: Visit, rows: readonly ProductDifference[]): Html {
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
