import type { SettlementList } from '../../admin/settlements.ts'
import type { StoreActivity } from '../../admin/stores.ts'
import { addDays } from '../../domain/values/instant.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { address, age, answerOr, badge, facts, firstOf, link, said, section, table, time, today } from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'
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
